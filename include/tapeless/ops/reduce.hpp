// SPDX-License-Identifier: MIT
#pragma once
// Reductions: sum, mean, max, min, prod along compile-time axes.

#include <tapeless/ops/reduce_base.hpp>

namespace tapeless {

/// Sum over axes. The cotangent is the same for every element; the sweep stretches it. Factors and terms that do not
/// vary along the axes are taken out of the sum.
struct sum_op : detail::reduce_base<"sum", detail::combination::sum> {
    static constexpr auto pullback(auto g, auto, auto, detail::attribute const&) { return cotangents(g); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        if constexpr (std::floating_point<T>) return detail::simplify_sum<T>(b, n);
        else return detail::simplify_reduction::first<T>(b, n);
    }
};

namespace detail::inline ops_part {
/// Ties share the cotangent equally.
constexpr auto share_among_ties(auto g, auto y, auto x, attribute const& at) {
    using T = typename decltype(x)::value_type;
    auto hit = x == y;
    return cotangents(where(hit, g / apply_with<sum_op>(attribute{.axes = at.axes}, cast<T>(hit)), 0.0));
}
}  // namespace detail::ops_part

/// Largest element over axes; NaN comes through.
struct max_op : detail::reduce_base<"max", detail::combination::max> {
    static constexpr auto pullback(auto g, auto y, auto x, detail::attribute const& at) {
        return detail::share_among_ties(g, y, x, at);
    }
};
/// Smallest element over axes; NaN comes through.
struct min_op : detail::reduce_base<"min", detail::combination::min> {
    static constexpr auto pullback(auto g, auto y, auto x, detail::attribute const& at) {
        return detail::share_among_ties(g, y, x, at);
    }
};

/// Product over axes. The rule is the product of the OTHER elements, also where some are zero: from the product of
/// those that are not zero, and the number of those that are.
struct prod_op : detail::reduce_base<"prod", detail::combination::product> {
    static constexpr auto pullback(auto g, auto, auto x, detail::attribute const& at) {
        using T = typename decltype(x)::value_type;
        auto zero = x == 0.0;
        auto zeros = apply_with<sum_op>(detail::attribute{.axes = at.axes}, cast<T>(zero));
        auto rest = apply_with<prod_op>(detail::attribute{.axes = at.axes}, where(zero, 1.0, x));
        return cotangents(where(zero, where(zeros == 1.0, g * rest, 0.0), where(zeros == 0.0, g * rest, 0.0) / x));
    }
};

/// Refuses the mean of integers, which would be rounded.
template <class Integer>
struct mean_of_integers {
    static_assert(never<Integer>, "the mean of integers is no integer: mean(cast<float>(x))");
};

/// The sum divided by the number of reduced elements; in the graph it is just that.
struct mean_op : detail::reduce_base<"mean", detail::combination::sum> {
    static constexpr bool differentiable = false;  // never stays in the graph
    template <class T>
    using elements_refused = unless<std::floating_point<detail::computed<T>>, mean_of_integers<T>>;
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        int s = detail::operation_table<sum_op, T>::emit(b, detail::attribute{.axes = n.attr.axes}, {n.in[0]});
        detail::dims d = b.shape_of(n.in[0]);
        return detail::emit_binary<div_op, T>(b, s, detail::emit_count<T>(b, d, n.attr.axes));
    }
};

/// Sum over the axes named (negative ones count from the end), or over all: sum<0, -1>(x).
template <int... Axis, expression A>
constexpr auto sum(A const& a) {
    return detail::reduce<sum_op, false, Axis...>(a);
}
/// Sum with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto sum(A const& a, keepdims_t) {
    return detail::reduce<sum_op, true, Axis...>(a);
}
/// Mean over the axes named, or over all.
template <int... Axis, expression A>
constexpr auto mean(A const& a) {
    return detail::reduce<mean_op, false, Axis...>(a);
}
/// Mean with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto mean(A const& a, keepdims_t) {
    return detail::reduce<mean_op, true, Axis...>(a);
}
/// Largest element over the axes named, or over all; tied elements share the gradient equally.
template <int... Axis, expression A>
constexpr auto max(A const& a) {
    return detail::reduce<max_op, false, Axis...>(a);
}
/// Largest element with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto max(A const& a, keepdims_t) {
    return detail::reduce<max_op, true, Axis...>(a);
}
/// Smallest element over the axes named, or over all; tied elements share the gradient equally.
template <int... Axis, expression A>
constexpr auto min(A const& a) {
    return detail::reduce<min_op, false, Axis...>(a);
}
/// Smallest element with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto min(A const& a, keepdims_t) {
    return detail::reduce<min_op, true, Axis...>(a);
}

/// Product over the axes named, or over all; of nothing it is 1.
template <int... Axis, expression A>
constexpr auto prod(A const& a) {
    return detail::reduce<prod_op, false, Axis...>(a);
}
/// Product with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto prod(A const& a, keepdims_t) {
    return detail::reduce<prod_op, true, Axis...>(a);
}

template <int... Axis, expression A>
constexpr auto sum(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), sum<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto mean(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), mean<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto max(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), max<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto min(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), min<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto prod(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), prod<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto sum(A const& a, detail::axes_in_parentheses) {
    refuse(because<axes_stand_in_angle_brackets<A>>{});
    return detail::reduce<sum_op, (sizeof...(Axis) > 0), Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto mean(A const& a, detail::axes_in_parentheses) {
    refuse(because<axes_stand_in_angle_brackets<A>>{});
    return detail::reduce<mean_op, (sizeof...(Axis) > 0), Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto max(A const& a, detail::axes_in_parentheses) {
    refuse(because<axes_stand_in_angle_brackets<A>>{});
    return detail::reduce<max_op, (sizeof...(Axis) > 0), Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto min(A const& a, detail::axes_in_parentheses) {
    refuse(because<axes_stand_in_angle_brackets<A>>{});
    return detail::reduce<min_op, (sizeof...(Axis) > 0), Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto prod(A const& a, detail::axes_in_parentheses) {
    refuse(because<axes_stand_in_angle_brackets<A>>{});
    return detail::reduce<prod_op, (sizeof...(Axis) > 0), Axis...>(a);
}
template <expression A, operand_like B>
    requires(!std::integral<B>)
constexpr auto max(A const& a, B const&) {
    return refuse(because<maximum_and_minimum_are_of_two<A, B>>{}), max(a);
}
template <expression A, operand_like B>
    requires(!std::integral<B>)
constexpr auto min(A const& a, B const&) {
    return refuse(because<maximum_and_minimum_are_of_two<A, B>>{}), min(a);
}

}  // namespace tapeless
