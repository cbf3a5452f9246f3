// SPDX-License-Identifier: MIT
#pragma once
// What reductions share: their axes, the shapes they leave, and reductions that are composed of others.

#include <initializer_list>
#include <limits>

#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/simplify/sums.hpp>

namespace tapeless {

/// Says that a reduction keeps the reduced axes as extents of 1: sum<1>(x, keepdims).
struct keepdims_t {
    static constexpr int no_axis = std::numeric_limits<int>::max();
    constexpr operator int() const { return no_axis; }  // among axes, sum<1, keepdims>(x), it is refused as one
};
inline constexpr keepdims_t keepdims{};
/// Refuses sum<0>(keepdims, x).
template <class A>
struct keepdims_stands_after_the_array {
    static_assert(never<A>, "keepdims stands after the array: sum<0>(x, keepdims)");
};
namespace detail::inline ops_part {
/// What sum(x, 0) and mean(x, {0, 1}) hand in.
struct axes_in_parentheses {
    constexpr axes_in_parentheses(int) {}
    constexpr axes_in_parentheses(std::initializer_list<int>) {}
};
}  // namespace detail::ops_part
/// Refuses them.
template <class A>
struct axes_stand_in_angle_brackets {
    static_assert(never<A>,
                  "axes are known when compiled, and stand in angle brackets: sum<0>(x), mean<0, 1>(x, keepdims), "
                  "where keepdims is that word, not true; of "
                  "two operands the larger and the smaller are maximum(a, b), minimum(a, b)");
};
/// Refuses max(a, b) and min(a, b).
template <class A, class B>
struct maximum_and_minimum_are_of_two {
    static_assert(never<A>, "max(x) and min(x) are of one array: of two, write maximum(a, b), minimum(a, b)");
};

/// Refuses an axis that the operand does not have.
template <class Op, int Axis, class Shape>
struct axis_out_of_range {
    static_assert(never<Op>, "the axis is out of range: an array of rank r has the axes -r ... r - 1");
};
template <class Op, class Shape>
struct axis_out_of_range<Op, keepdims_t::no_axis, Shape> {
    static_assert(never<Op>, "keepdims stands after the array, not among the axes: sum<0>(x, keepdims)");
};
/// Refuses an axis that is named twice.
template <class Op, int Axis, class Shape>
struct axis_repeated {
    static_assert(never<Op>, "an axis is repeated in the list");
};
/// Refuses the maximum of no elements.
template <class Op, class Shape>
struct reduction_of_nothing {
    static_assert(never<Op>, "max, min, argmax and argmin need at least one element along the reduced axes");
};
/// Refuses integers where only numbers with fractions make sense.
template <class Op, class Element>
struct needs_floating_point {
    static_assert(never<Op>, "this function is of floating-point arrays: write cast<double>(x)");
};

namespace detail::inline ops_part {
/// Base of the reductions. Some refuse to reduce nothing.
template <fixed_string Name, combination Combine,
          bool NeedsElements = (Combine == combination::max || Combine == combination::min)>
struct reduce_base {
    static constexpr auto name = Name;
    static constexpr node_kind kind = node_kind::reduce;
    static constexpr combination combine = Combine;
    static constexpr bool has_axes = true, needs_elements = NeedsElements;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) {
        dims d = b.shape_of(n.in[0]);
        for (int k = 0; k < d.rank; ++k) {
            if (!(n.attr.axes >> k & 1)) continue;
            std::int64_t& e = d.extent[d.rank - 1 - k];
            if (NeedsElements && e < 0) b.checks.push({static_cast<int>(~e), -2, 0, relation::equal, b.doing});
            e = 1;
        }
        return d;
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        return simplify_reduction::first<T>(b, n);
    }
};
}  // namespace detail::ops_part

namespace detail::inline ops_part {
/// The number of elements along the axes (from the right) of a shape, as a value of the graph.
template <class T>
constexpr int emit_count(builder& b, dims const& d, std::int64_t axes) {
    double fixed = 1;
    int r = -1;
    for (int k = 0; k < d.rank; ++k) {
        if (!(axes >> k & 1)) continue;
        std::int64_t e = b.resolve(d.from_right(k));
        if (e >= 0) {
            fixed *= static_cast<double>(e);
        } else {
            node n;
            n.kind = node_kind::extent;
            n.type = dtype_of<T>();
            n.source = static_cast<int>(~e);
            int id = b.push(n);
            r = r < 0 ? id : emit_binary<mul_op, T>(b, r, id);
        }
    }
    int c = emit_constant<T>(b, fixed);
    return r < 0 ? c : emit_binary<mul_op, T>(b, c, r);
}
}  // namespace detail::ops_part

namespace detail::inline ops_part {
/// The same, as an expression.
template <class T>
constexpr node_ref<T> count_of(node_ref<T> x, std::int64_t axes) {
    dims const d = x.graph->shape_of(x.id);
    return {x.graph, emit_count<T>(*x.graph, d, axes)};
}

/// The value of a composed reduction, under the rule that stands beside it.
template <class Op>
struct composed_op : boundary<Op::name> {
    static constexpr bool has_axes = true;
    static constexpr auto pullback(auto g, auto y, auto, auto x, attribute const& at) {
        return cotangents(no_cotangent{}, Op::rule(g, y, x, at));
    }
};

/// A reduction that is composed of others. Op::value(x, at) is what it computes, the axes kept as extents of 1;
/// Op::rule(g, y, x, at), where there is one, the cotangent of x.
template <class Op, fixed_string Name, bool NeedsElements = false>
struct composed_reduction : reduce_base<Name, combination::sum, NeedsElements> {
    static constexpr bool differentiable = false;  // never stays in the graph
    static constexpr bool only_floating = true;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        attribute const at = n.attr;
        node_ref<T> const x(&b, n.in[0]);
        auto const y = Op::value(x, at);
        if constexpr (requires { Op::rule(y, y, x, at); }) return apply_with<composed_op<Op>>(at, y, x).id;
        else return y.id;
    }
};
}  // namespace detail::ops_part

namespace detail::inline ops_part {

/// Why there are no such axes.
template <class Op, class Shape, int... Axis>
using axes_refused = typename first_reason<
    unless<(Axis < Shape::rank && Axis >= -Shape::rank), axis_out_of_range<Op, Axis, Shape>>...>::type;
/// Axes as a mask from the right, without those that are out of range.
template <class Shape, int... Axis>
constexpr std::int64_t axis_mask() {
    constexpr int r = Shape::rank;
    std::int64_t mask = sizeof...(Axis) == 0 ? (std::int64_t{1} << r) - 1 : 0;
    ((mask |= Axis >= r || Axis < -r ? 0 : std::int64_t{1} << (Axis < 0 ? -1 - Axis : r - 1 - Axis)), ...);
    return mask;
}
template <class Shape, int... Axis>
constexpr bool axes_are_distinct() {
    constexpr std::int64_t mask = axis_mask<Shape, Axis...>();
    constexpr int r = Shape::rank;
    int n = 0;
    for (int k = 0; k < r; ++k) n += static_cast<int>(mask >> k & 1);
    return sizeof...(Axis) == 0 || n == static_cast<int>(sizeof...(Axis)) || ((Axis >= r || Axis < -r) || ...);
}

template <class Shape, std::int64_t Mask>
struct kept_rule {
    static constexpr dims compute() {
        dims d = dims_of<Shape>();
        for (int k = 0; k < d.rank; ++k)
            if (Mask >> k & 1) d.extent[d.rank - 1 - k] = 1;
        return d;
    }
    static constexpr dims value = compute();
};
template <class Shape, std::int64_t Mask>
struct dropped_rule {
    static constexpr dims value = axis_map::without(Shape::rank, Mask).apply(dims_of<Shape>());
};

template <class Shape, std::int64_t Mask>
constexpr bool reduces_nothing() {
    for (int k = 0; k < Shape::rank; ++k)
        if ((Mask >> k & 1) && Shape::extents[static_cast<std::size_t>(Shape::rank - 1 - k)] == 0) return true;
    return false;
}

/// Why Op does not reduce elements of type T.
template <class Op, class T>
struct check_reduced {
    using reason = unless < std::floating_point<T> || !requires { requires Op::only_floating; }
    , needs_floating_point < Op, T >> ;
};
template <class Op, class T>
    requires requires { typename Op::template elements_refused<T>; }
struct check_reduced<Op, T> {
    using reason = typename Op::template elements_refused<T>;
};

template <class Op, int First, int...>
struct first_axis {
    static constexpr int value = First;
};

/// In a derivative rule only the graph knows the rank.
template <class Op, bool Keep, int... Axis, class T>
constexpr auto reduce(node_ref<T> const& a, double number = 0) {
    int rank = a.graph->shape_of(a.id).rank;
    std::int64_t mask = sizeof...(Axis) == 0 ? (std::int64_t{1} << rank) - 1 : 0;
    ((mask |= std::int64_t{1} << (Axis < 0 ? -1 - Axis : rank - 1 - Axis)), ...);
    auto r = apply_with<Op>(attribute{.axes = mask, .number = number}, a);
    if constexpr (Keep) return r;
    else return apply_with<axes_op>(attribute{.axes = axis_map::without(rank, mask).bits}, r);
}

template <class Op, bool Keep, int... Axis, class A>
constexpr auto reduce(A const& a, double number = 0) {
    using S = typename A::shape_type;
    constexpr std::int64_t mask = axis_mask<S, Axis...>();
    refuse(because<axes_refused<Op, S, Axis...>>{});
    if constexpr (!axes_are_distinct<S, Axis...>())
        refuse(because<axis_repeated<Op, first_axis<Op, Axis...>::value, S>>{});
    if constexpr (Op::needs_elements && reduces_nothing<S, mask>()) refuse(because<reduction_of_nothing<Op, S>>{});
    if constexpr (!accepts(because<typename check_reduced<Op, typename A::value_type>::reason>{})) {
        return reduce<Op, Keep, Axis...>(apply_with<cast_op<double>>(attribute{}, a), number);
    } else {
        using kept = typename shape_from<kept_rule<S, mask>, S>::type;
        auto r = apply_shaped<Op, kept>(attribute{.axes = mask, .number = number}, a);
        if constexpr (Keep) return r;
        else {
            using dropped = typename shape_from<dropped_rule<S, mask>, S>::type;
            return apply_shaped<axes_op, dropped>(attribute{.axes = axis_map::without(S::rank, mask).bits}, r);
        }
    }
}
}  // namespace detail::ops_part

}  // namespace tapeless
