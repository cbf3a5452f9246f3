// SPDX-License-Identifier: MIT
#pragma once
// Where the extremes are: argmax, argmin, and the extremes together with their positions. The first one counts.

#include <tapeless/ops/reduce.hpp>

namespace tapeless {

/// Extremes along an axis and where they stand: auto [values, indices] = max_with_index<1>(x).
template <class V, class I>
struct extremes {
    V values;
    I indices;
};

namespace detail::inline ops_part {

/// Positions along one axis are integers as wide as the numbers, so that masks fit both; flattened ones are 64 bits
/// wide.
template <class T, class P>
constexpr node_ref<P> positions(node_ref<T> x, std::int64_t axes) {
    builder& b = *x.graph;
    dims const d = b.shape_of(x.id);
    node_ref<P> r(&b, emit_constant<P>(b, 0));
    for (int k = 0; k < d.rank; ++k) {
        if (!(axes >> k & 1) || d.from_right(k) == 1) continue;
        std::int64_t const inside = axes & ((std::int64_t{1} << k) - 1);
        axis_map m = axis_map::of_rank(d.rank);
        m.set(k, 0);
        node_ref<P> const c(
            &b, emit_with<axes_op>(b, b.coordinate(d.from_right(k), dtype_of<P>()), attribute{.axes = m.bits}));
        r = r + node_ref<P>(&b, emit_count<P>(b, d, inside)) * c;
    }
    return r;
}

/// The first position of the extreme along the axes, which stay as extents of 1; a NaN counts as the extreme.
template <class Extreme, class P, class T>
constexpr node_ref<P> first_position(node_ref<T> x, attribute const& at) {
    node_ref<T> const m = apply_with<Extreme>(attribute{.axes = at.axes}, x);
    P const past_all = sizeof(P) == 8 ? static_cast<P>(std::int64_t{1} << 62) : static_cast<P>(0x7fffffff);
    node_ref<bool> hit = x == m;
    if constexpr (std::floating_point<T>) hit = hit || x != x;
    return apply_with<min_op>(attribute{.axes = at.axes}, where(hit, positions<T, P>(x, at.axes), past_all));
}

/// The position of the first extreme, as int64.
template <class Extreme, fixed_string Name>
struct arg_op : reduce_base<Name, combination::min> {
    template <class T>
    using result = std::int64_t;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        switch (b.nodes.items[n.in[0]].type) {
            case dtype::f32: return emit<float>(b, n);
            case dtype::f64: return emit<double>(b, n);
            case dtype::i32: return emit<std::int32_t>(b, n);
            default: return emit<std::int64_t>(b, n);
        }
    }
    template <class T>
    static constexpr int emit(builder& b, node const& n) {
        node_ref<T> const x(&b, n.in[0]);
        std::int64_t const axes = n.attr.axes;
        if ((axes & (axes - 1)) != 0) return first_position<Extreme, std::int64_t>(x, n.attr).id;
        return cast<std::int64_t>(first_position<Extreme, position_of<T>>(x, n.attr)).id;
    }
};
}  // namespace detail::ops_part

/// Where the largest element is; NaN counts as the largest.
struct argmax_op : detail::arg_op<max_op, "argmax"> {};
/// Where the smallest element is; NaN counts as the smallest.
struct argmin_op : detail::arg_op<min_op, "argmin"> {};

namespace detail::inline ops_part {
/// The extreme whose whole cotangent goes to the first element that is it.
template <class Extreme, fixed_string Name>
struct first_extreme_op : composed_reduction<first_extreme_op<Extreme, Name>, Name, true> {
    static constexpr bool only_floating = false;
    static constexpr auto value(auto x, attribute const& at) {
        return apply_with<Extreme>(attribute{.axes = at.axes}, x);
    }
    static constexpr auto rule(auto g, auto, auto x, attribute const& at) {
        using T = typename decltype(x)::value_type;
        using P = position_of<T>;
        return where(positions<T, P>(x, at.axes) == first_position<Extreme, P>(x, at), g, 0);
    }
};

template <class Extreme, class Position, fixed_string Name, bool Keep, int Axis, class A>
constexpr auto with_index(A const& a) {
    auto const x = let(a);
    auto const values = reduce<first_extreme_op<Extreme, Name>, Keep, Axis>(x);
    auto const indices = reduce<Position, Keep, Axis>(x);
    return extremes<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(indices)>>{values, indices};
}
}  // namespace detail::ops_part

/// The position of the largest element along an axis, or in the whole array (row-major) where none is named: int64.
/// The first of several wins, NaN counts as the largest. Of several axes: the position among their elements,
/// row-major.
template <int... Axis, expression A>
constexpr auto argmax(A const& a) {
    return detail::reduce<argmax_op, false, Axis...>(a);
}
/// The position of the largest element with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto argmax(A const& a, keepdims_t) {
    return detail::reduce<argmax_op, true, Axis...>(a);
}
/// The position of the smallest element along an axis, or in the whole array (row-major): as argmax.
template <int... Axis, expression A>
constexpr auto argmin(A const& a) {
    return detail::reduce<argmin_op, false, Axis...>(a);
}
/// The position of the smallest element with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto argmin(A const& a, keepdims_t) {
    return detail::reduce<argmin_op, true, Axis...>(a);
}

/// The largest elements along an axis and their positions: { values, indices }. The first of several gets the gradient.
template <int Axis, expression A>
constexpr auto max_with_index(A const& a) {
    return detail::with_index<max_op, argmax_op, "max_with_index", false, Axis>(a);
}
/// max_with_index with the axis kept as an extent of 1.
template <int Axis, expression A>
constexpr auto max_with_index(A const& a, keepdims_t) {
    return detail::with_index<max_op, argmax_op, "max_with_index", true, Axis>(a);
}
/// The smallest elements along an axis and their positions: { values, indices }. The first of several gets the
/// gradient.
template <int Axis, expression A>
constexpr auto min_with_index(A const& a) {
    return detail::with_index<min_op, argmin_op, "min_with_index", false, Axis>(a);
}
/// min_with_index with the axis kept as an extent of 1.
template <int Axis, expression A>
constexpr auto min_with_index(A const& a, keepdims_t) {
    return detail::with_index<min_op, argmin_op, "min_with_index", true, Axis>(a);
}
template <int... Axis, expression A>
constexpr auto argmax(A const& a, detail::axes_in_parentheses) {
    return refuse(because<axes_stand_in_angle_brackets<A>>{}), argmax<Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto argmin(A const& a, detail::axes_in_parentheses) {
    return refuse(because<axes_stand_in_angle_brackets<A>>{}), argmin<Axis...>(a);
}

}  // namespace tapeless
