// SPDX-License-Identifier: MIT
#pragma once
// Reductions: sum, mean, max, min, prod along compile-time axes.

#include <tapeless/ops/contract.hpp>
#include <tapeless/ops/reduction.hpp>

namespace tapeless {

namespace detail {
/// Whether a shape has extent 1 along all these axes (from the right).
constexpr bool is_flat(dims const& d, std::int64_t axes) {
    for (int k = 0; k < d.rank; ++k)
        if ((axes >> k & 1) && d.from_right(k) != 1) return false;
    return true;
}
template <class T>
constexpr int simplify_sum(builder& b, node const& n);
}  // namespace detail

/// Sum over axes. The cotangent is the same for every element; the sweep stretches it. Factors and terms that do not vary
/// along the axes are taken out of the sum.
struct sum_op : detail::reduce_base<"sum", detail::reduction::sum> {
    static constexpr auto pullback(auto g, auto, auto, detail::attribute const&) { return cotangents(g); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        int const nothing = detail::reduce_base<"sum", detail::reduction::sum>::simplify<T>(b, n);
        if (nothing >= 0) return nothing;
        if constexpr (std::floating_point<T>) return detail::simplify_sum<T>(b, n);
        else return -1;
    }
};

namespace detail {
/// Ties share the cotangent equally.
constexpr auto share_among_ties(auto g, auto y, auto x, attribute const& at) {
    using T = typename decltype(x)::value_type;
    auto hit = x == y;
    return cotangents(where(hit, g / apply_with<sum_op>(attribute{.axes = at.axes}, cast<T>(hit)), 0.0));
}
}  // namespace detail

/// Largest element over axes; NaN comes through.
struct max_op : detail::reduce_base<"max", detail::reduction::max> {
    static constexpr auto pullback(auto g, auto y, auto x, detail::attribute const& at) {
        return detail::share_among_ties(g, y, x, at);
    }
};
/// Smallest element over axes; NaN comes through.
struct min_op : detail::reduce_base<"min", detail::reduction::min> {
    static constexpr auto pullback(auto g, auto y, auto x, detail::attribute const& at) {
        return detail::share_among_ties(g, y, x, at);
    }
};

/// Product over axes. The rule is the product of the OTHER elements, also where some are zero: from the product of those that
/// are not zero, and the number of those that are.
struct prod_op : detail::reduce_base<"prod", detail::reduction::product> {
    static constexpr auto pullback(auto g, auto, auto x, detail::attribute const& at) {
        using T = typename decltype(x)::value_type;
        auto zero = x == 0.0;
        auto zeros = apply_with<sum_op>(detail::attribute{.axes = at.axes}, cast<T>(zero));
        auto rest = apply_with<prod_op>(detail::attribute{.axes = at.axes}, where(zero, 1.0, x));
        return cotangents(where(zero, where(zeros == 1.0, g * rest, 0.0), where(zeros == 0.0, g * rest, 0.0) / x));
    }
};

namespace detail {
template <class T>
constexpr int simplify_sum(builder& b, node const& n) {
    std::int64_t const axes = n.attr.axes;
    node const x = b.nodes.items[n.in[0]];
    if (x.kind != node_kind::elementwise || x.op->is == builtin::where) return -1;
    dims const shape = b.shapes.items[x.shape];
    if (x.op->is == builtin::mul)
        if (int const r = emit_product_with_unit(b, x.in[0], x.in[1], axes & varying(shape)); r >= 0) return r;
    if (x.op->is == builtin::mul && is_matrix_product(b.shape_of(x.in[0]), b.shape_of(x.in[1]), axes))
        return emit_sum_of_products<T>(b, x.in[0], x.in[1], axes, shape);
    // Only where the sum is one number a row or in all: what is done to a column sum would be a loop of its own.
    int inmost = 0;
    while (inmost < shape.rank && shape.from_right(inmost) == 1) ++inmost;
    if (!(axes >> inmost & 1)) return -1;
    auto sum_of = [&](int id) { return operation_table<sum_op, T>::emit(b, attribute{.axes = axes}, {id}); };
    // the other operand has the whole shape: its sum has the shape of the sum
    auto splits = [&](int flat, int rest) { return is_flat(b.shape_of(flat), axes) && b.nodes.items[rest].shape == x.shape; };
    if (x.op->is == builtin::neg) return emit_unary<neg_op, T>(b, sum_of(x.in[0]));
    if (x.op->is == builtin::mul) {
        if (splits(x.in[0], x.in[1])) return emit_binary<mul_op, T>(b, x.in[0], sum_of(x.in[1]));
        if (splits(x.in[1], x.in[0])) return emit_binary<mul_op, T>(b, x.in[1], sum_of(x.in[0]));
        // (s a) b, a (s b), (s a) (t b)
        auto has_factor = [&](int id) {
            node const& p = b.nodes.items[id];
            return is_op(b, id, builtin::mul) && p.shape == x.shape && splits(p.in[0], p.in[1]) && may_move<T>(b, p.in[0]);
        };
        bool const left = has_factor(x.in[0]), right = has_factor(x.in[1]);
        node const l = b.nodes.items[x.in[0]], r = b.nodes.items[x.in[1]];
        if (left && right)
            return emit_binary<mul_op, T>(b, emit_binary<mul_op, T>(b, l.in[0], r.in[0]), sum_of(emit_binary<mul_op, T>(b, l.in[1], r.in[1])));
        if (left) return emit_binary<mul_op, T>(b, l.in[0], sum_of(emit_binary<mul_op, T>(b, l.in[1], x.in[1])));
        if (right) return emit_binary<mul_op, T>(b, r.in[0], sum_of(emit_binary<mul_op, T>(b, x.in[0], r.in[1])));
    }
    // a term beside squares (which do not cancel) is counted, not added again and again
    auto is_square = [&](int id) {
        node const* p = &b.nodes.items[id];
        if (is_op(b, id, builtin::mul) && b.is_constant(p->in[0])) p = &b.nodes.items[p->in[1]];
        return p->has_op() && p->op->is == builtin::mul && p->in[0] == p->in[1];
    };
    if (x.op->is == builtin::add)
        for (int j = 0; j < 2; ++j)
            if (splits(x.in[j], x.in[1 - j]) && is_square(x.in[1 - j])) {
                int const rest = sum_of(x.in[1 - j]);
                return emit_binary<add_op, T>(b, rest, emit_binary<mul_op, T>(b, emit_count<T>(b, shape, axes), x.in[j]));
            }
    return -1;
}
}  // namespace detail

/// Refuses the mean of integers, which would be rounded.
template <class Integer>
struct mean_of_integers {
    static_assert(sizeof(Integer) == 0, "the mean of integers is no integer: mean(cast<float>(x))");
    using type = Integer;
};

/// The sum divided by the number of reduced elements; in the graph it is just that.
struct mean_op : detail::reduce_base<"mean", detail::reduction::sum> {
    static constexpr bool differentiable = false;  // never stays in the graph
    template <class T>
    using result = typename std::conditional_t<std::floating_point<T>, std::type_identity<T>, mean_of_integers<T>>::type;
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

}  // namespace tapeless
