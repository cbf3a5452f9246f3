// SPDX-License-Identifier: MIT
#pragma once
// Some of the elements along an axis: slice, narrow, select, flip. They are views: the loop that reads the result
// walks the operand, and the loop that makes a gradient writes to its place.

#include <tapeless/ops/view.hpp>

namespace tapeless {

/// Refuses a step of 0.
template <class Shape, int Axis>
struct slice_step_is_zero {
    static_assert(never<Shape>, "slice: the step is 0");
};
/// Refuses elements that the axis does not have.
template <class Shape, int Axis, int Start, int Length>
struct narrow_beyond_the_axis {
    static_assert(never<Shape>, "narrow<axis, start, length>: the axis is shorter than start + length");
};

namespace detail::inline ops_part {

/// Elements start, start + step, ... before stop of an axis (from the right).
constexpr int emit_slice_between(builder& b, int x, int axis, std::int64_t start, std::int64_t stop,
                                 std::int64_t step) {
    std::int64_t const n = b.resolve(b.shape_of(x).from_right(axis));
    if (n >= 0) {
        slice_bounds const s(n, start, stop, step);
        return emit_slice(b, x, axis, s.start, s.length, step);
    }
    if (step == 1) {  // in terms that say where another slice begins or ends
        auto bound = [&](std::int64_t i) {
            return i == to_end ? n
                   : i < 0     ? b.difference(n, -i)
                   : i == 0    ? 0
                               : b.derived({.rule = length_rule::minimum, .a = n, .b = i});
        };
        std::int64_t const from = bound(start), to = bound(stop);
        return emit_slice(b, x, axis, from, from == to ? 0 : b.difference(to, from), 1);
    }
    if (step == -1 && start == to_end && stop == to_end) return emit_slice(b, x, axis, b.difference(n, 1), n, -1);
    length_formula f{.rule = length_rule::slice_start, .a = n, .start = start, .stop = stop, .step = step};
    std::int64_t const from = b.derived(f);
    f.rule = length_rule::slice_length;
    return emit_slice(b, x, axis, from, b.derived(f), step);
}

template <int Axis, std::int64_t Start, std::int64_t Stop, std::int64_t Step>
struct slice_rule {
    static constexpr dims dims_from(dims d) {
        std::int64_t& e = d.extent[d.rank - 1 - axis_from_right(Axis, d.rank)];
        bool const whole =
            (Step == 1 && Start == 0 && Stop == to_end) || (Step == -1 && Start == to_end && Stop == to_end);
        if (e >= 0) e = slice_bounds(e, Start, Stop, Step).length;
        else if (!whole) e = new_extent;
        return d;
    }
    static constexpr int emit(builder& b, int x) {
        return emit_slice_between(b, x, axis_from_right(Axis, b.shape_of(x).rank), Start, Stop, Step);
    }
};
template <int Axis, int Start, int Length>
struct narrow_rule {
    static constexpr dims dims_from(dims d) {
        d.extent[d.rank - 1 - axis_from_right(Axis, d.rank)] = Length;
        return d;
    }
    static constexpr int emit(builder& b, int x) {
        int const axis = axis_from_right(Axis, b.shape_of(x).rank);
        b.check(b.shape_of(x).from_right(axis), relation::at_least, Start + Length);
        return emit_slice(b, x, axis, Start, Length, 1);
    }
};
template <int... Axis>
struct flip_rule {
    static constexpr dims dims_from(dims const& d) { return d; }
    static constexpr int emit(builder& b, int x) {
        int const rank = b.shape_of(x).rank;
        ((x = emit_slice_between(b, x, axis_from_right(Axis, rank), to_end, to_end, -1)), ...);
        return x;
    }
};

/// The bounds of a slice are numbers of the traced function: attr.offset and attr.stop().
template <int Axis>
struct slice_between_op : with_other_shape<"slice", slice_between_op<Axis>> {
    static constexpr dims dims_from(dims d) {
        d.extent[d.rank - 1 - axis_from_right(Axis, d.rank)] = new_extent;
        return d;
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return emit_slice_between(b, n.in[0], axis_from_right(Axis, b.shape_of(n.in[0]).rank), n.attr.offset,
                                  n.attr.stop(), 1);
    }
};
/// Called where an index is beyond a static extent: not a constant expression, so the compiler refuses and names it.
inline void select_index_is_out_of_range() {}
template <int Axis>
struct select_op : with_other_shape<"select", select_op<Axis>> {
    static constexpr dims dims_from(dims const& d) {
        return axis_map::without(d.rank, std::int64_t{1} << axis_from_right(Axis, d.rank)).apply(d);
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[0]);
        int const axis = axis_from_right(Axis, d.rank);
        std::int64_t const i = n.attr.offset, length = b.resolve(d.from_right(axis));
        if (length >= 0 && (i >= length || i < -length)) select_index_is_out_of_range();
        b.check(length, relation::at_least, i < 0 ? -i : i + 1);
        int const one = emit_slice(b, n.in[0], axis, i < 0 ? b.difference(length, -i) : i, 1, 1);
        return emit_axes(b, one, axis_map::without(d.rank, std::int64_t{1} << axis));
    }
};
}  // namespace detail::ops_part

/// Elements start, start + step, ... before stop along an axis. Negative bounds count from the end, bounds beyond it
/// mean the end, to_end goes as far as there is something: slice<0, 1, to_end>(x), slice<-1, to_end, to_end, -2>(x).
template <int Axis, int Start, int Stop, int Step = 1, expression A>
constexpr auto slice(A const& x) {
    using op = detail::moved<"slice", detail::slice_rule<Axis, Start, Stop, Step>>;
    using S = typename detail::shape_or_none<A>::type;
    if constexpr (Step == 0) refuse(because<slice_step_is_zero<S, Axis>>{});
    refuse(detail::why_no_axes<op, A, S, Axis>());
    return apply<op>(x);
}
/// Elements start ... stop - 1 along an axis, by numbers of the traced function; the length of the result is a
/// run-time one.
template <int Axis, expression A>
constexpr auto slice(A const& x, int start, int stop) {
    refuse(detail::why_no_axes<detail::slice_between_op<Axis>, A, typename detail::shape_or_none<A>::type, Axis>());
    return apply_with<detail::slice_between_op<Axis>>(
        detail::attribute{.number = static_cast<double>(stop), .offset = start}, x);
}
/// The `Length` elements from Start on along an axis.
template <int Axis, int Start, int Length, expression A>
constexpr auto narrow(A const& x) {
    using op = detail::moved<"narrow", detail::narrow_rule<Axis, Start, Length>>;
    using S = typename detail::shape_or_none<A>::type;
    static_assert(Start >= 0 && Length >= 0, "narrow<axis, start, length>: start and length are not negative");
    refuse(detail::why_no_axes<op, A, S, Axis>());
    if constexpr (Start < 0 || Length < 0) {
        return x;
    } else {
        if constexpr (!detail::is_node_ref<A> && Axis < S::rank && Axis >= -S::rank) {
            constexpr std::int64_t e = S::extents[static_cast<std::size_t>(Axis < 0 ? Axis + S::rank : Axis)];
            if constexpr (e >= 0 && e < Start + Length)
                refuse(because<narrow_beyond_the_axis<S, Axis, Start, Length>>{});
        }
        return apply<op>(x);
    }
}
/// Element `index` along an axis, which is dropped; negative ones count from the end.
template <int Axis, expression A>
constexpr auto select(A const& x, int index) {
    using S = typename detail::shape_or_none<A>::type;
    refuse(detail::why_no_axes<detail::select_op<Axis>, A, S, Axis>());
    if constexpr (!detail::is_node_ref<A> && Axis < S::rank && Axis >= -S::rank) {
        constexpr std::int64_t length = S::extents[static_cast<std::size_t>(Axis < 0 ? Axis + S::rank : Axis)];
        if (length >= 0 && (index >= length || index < -length)) detail::select_index_is_out_of_range();
    }
    return apply_with<detail::select_op<Axis>>(detail::attribute{.offset = index}, x);
}
/// The elements along these axes in reverse.
template <int... Axis, expression A>
constexpr auto flip(A const& x) {
    using op = detail::moved<"flip", detail::flip_rule<Axis...>>;
    refuse(detail::why_no_axes<op, A, typename detail::shape_or_none<A>::type, Axis...>());
    return apply<op>(x);
}

}  // namespace tapeless
