// SPDX-License-Identifier: MIT
#pragma once
// Windows that slide along an axis, as a view; and what flows back through them: for each element the sum over the
// windows that cover it, read where it is with zeros around it.

#include <numeric>

#include <tapeless/ops/cumulative.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/padded.hpp>
#include <tapeless/ops/slice.hpp>

namespace tapeless {

/// Refuses windows without elements, and those that do not move.
template <class Shape, int Axis, int Size, int Stride, int Dilation>
struct windows_need_positive_numbers {
    static_assert(never<Shape>, "windows<axis, size, stride, dilation>: size, stride and dilation are at least 1");
};
/// Refuses an axis that no window fits into.
template <class Shape, int Axis, int Size, int Stride, int Dilation>
struct window_is_longer_than_the_axis {
    static_assert(never<Shape>,
                  "windows<axis, size, stride, dilation>: the axis has fewer than (size - 1) dilation + 1 elements");
};
/// Refuses one axis too many.
template <class Shape>
struct windows_need_one_more_axis {
    static_assert(never<Shape>, "windows: the window's axis would be the ninth");
};

namespace detail::inline ops_part {

constexpr int emit_windows_back(builder& b, int g, int y, int x);

/// x seen through windows along an axis (attr.axes, from the right): y(..., i, ..., t) = x(..., stride i + dilation t,
/// ...). attr.shape is the result's, whose last axis is the window's.
struct windows_op {
    static constexpr fixed_string name = "windows";
    static constexpr node_kind kind = node_kind::view;
    static constexpr view_form form = view_form::windows;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    static constexpr auto pullback(auto g, auto y, auto x, attribute const&) {
        return cotangents(decltype(g)(g.graph, emit_windows_back(*g.graph, g.id, y.id, x.id)));
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return b.is_constant(n.in[0]) ? n.in[0] : -1;
    }
};

/// The sums over windows, term by term for each element they cover: out(j) is the sum of x(i, t) where j = stride i +
/// dilation t. The axis the windows slid along is attr.axes, the stride and the dilation are in attr.number.
struct fold_windows_op : custom_loop<"fold_windows"> {
    static constexpr bool takes_leading_axes = true;
    static constexpr std::int64_t stride(attribute const& at) { return static_cast<std::int64_t>(at.number) >> 24; }
    static constexpr std::int64_t dilation(attribute const& at) {
        return static_cast<std::int64_t>(at.number) & 0xffffff;
    }
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    template <class T>
    static void run(strided const* in, strided const& out, attribute const& at) {
        fold<T>(in[0], out, static_cast<int>(at.axes), stride(at), dilation(at));
    }
    template <class T, class Build = simd::batch<T>>
    static void fold(strided const& x, strided const& out, int axis, std::int64_t stride, std::int64_t dilation) {
        std::int64_t const n = out.extent[axis], size = x.extent[0], windows = x.extent[axis + 1];
        loop_nest<2> others;
        for (int k = 0; k < out.rank; ++k)
            if (k != axis) others.add(out.extent[k], out.stride[k], x.stride[k + 1]);
        others.each(0, [&](std::ptrdiff_t const* p) {
            T const* const from = x.as<T const>() + p[1];
            T* const to = out.as<T>() + p[0];
            for (std::int64_t j = 0; j < n; ++j) {
                carry_of<T> sum = 0;
                // t with j - dilation t = stride i, 0 <= i < windows
                std::int64_t const below = j - (windows - 1) * stride;
                for (std::int64_t t = below > 0 ? (below + dilation - 1) / dilation : 0; t < size && t * dilation <= j;
                     ++t)
                    if (std::int64_t const rest = j - t * dilation; rest % stride == 0)
                        sum =
                            sum + static_cast<carry_of<T>>(from[rest / stride * x.stride[axis + 1] + t * x.stride[0]]);
                to[j * out.stride[axis]] = static_cast<T>(sum);
            }
        });
    }
    /// What flows back is seen through the same windows.
    static constexpr auto pullback(auto g, auto y, auto x, attribute const& at) {
        builder& b = *g.graph;
        int const whole = emit_expand(b, g.id, b.shape_of(y.id));
        attribute const seen{.axes = at.axes,
                             .number = static_cast<double>(stride(at)),
                             .shape = b.nodes.items[x.id].shape,
                             .offset = dilation(at)};
        return cotangents(decltype(g)(&b, emit_with<windows_op>(b, whole, seen)));
    }
};

/// Whether something that a node is computed from by element does not vary along an axis (from the right).
constexpr bool varies_in_part(builder const& b, int id, int axis, int depth) {
    if (b.shape_of(id).from_right(axis) == 1) return true;
    node const& n = b.nodes.items[id];
    if (depth == 0 || n.item_axes != 0) return false;
    if (n.kind == node_kind::padded)
        return n.attr.shift() == 0 && n.attr.axes != axis && varies_in_part(b, n.in[0], axis, depth - 1);
    if (n.is_axes_view()) return varies_in_part(b, n.in[0], axis_map{n.attr.axes}.source(axis), depth - 1);
    if (n.kind != node_kind::elementwise || b.nodes.items[n.in[0]].type == dtype::b8) return false;
    if (!n.is_stretched() && !n.computes_elements()) return false;
    for (int j = 0; j < n.arity(); ++j)
        if (varies_in_part(b, n.in[j], axis, depth - 1)) return true;
    return false;
}
/// Element t along an axis (from the right), which stays as an extent of 1. Of what is computed, what does not vary
/// along that axis is left alone.
constexpr int emit_window_element(builder& b, int id, std::int64_t t, int axis = 0, int depth = 6) {
    dims d = b.shape_of(id);
    if (d.from_right(axis) == 1) return id;
    if (!varies_in_part(b, id, axis, depth)) return emit_slice(b, id, axis, t, 1, 1);
    node n = b.nodes.items[id];
    d.extent[d.rank - 1 - axis] = 1;
    if (n.is_axes_view()) {
        axis_map const m{n.attr.axes};
        scaled_node const part(b, emit_window_element(b, n.in[0], t, m.source(axis), depth - 1));
        return part.times(b, emit_axes(b, part.x, m));
    }
    if (n.kind == node_kind::padded || n.is_stretched()) {
        scaled_node const part(b, emit_window_element(b, n.in[0], t, axis, depth - 1));
        if (n.is_stretched()) return part.times(b, emit_expand(b, part.x, d));
        attribute at = n.attr;
        at.shape = b.intern(d);
        return part.times(b, emit_with<padded_op>(b, part.x, at));
    }
    for (int j = 0; j < n.arity(); ++j) n.in[j] = emit_window_element(b, n.in[j], t, axis, depth - 1);
    return b.emit(*n.op, n);
}
/// The cotangent of x, where y shows it through windows.
constexpr int emit_windows_back(builder& b, int g, int y, int x) {
    constexpr std::int64_t most_terms = 16;  // beyond, a loop of its own
    attribute const at = b.nodes.items[y].attr;
    dims const whole = b.shape_of(y), to = b.shape_of(x);
    int const k = static_cast<int>(at.axes), shape = b.nodes.items[x].shape;
    dtype const type = b.nodes.items[g].type;
    std::int64_t const stride = at.stride(), dilation = at.dilation(), size = whole.from_right(0),
                       windows = whole.from_right(k + 1);
    int const part = emit_expand(b, g, whole), zeros = b.blank(shape, type);
    if (size <= stride / std::gcd(stride, dilation))  // no element is in two windows
        return emit_put(b, zeros, part, emit_with<windows_op>(b, zeros, at), false);
    if (size > most_terms) {
        attribute const folded{.axes = k, .number = static_cast<double>((stride << 24) + dilation), .shape = shape};
        node n;
        n.attr = folded;
        n.in[0] = part;
        return b.emit(*b.real(part).fold_windows, n);
    }
    // of x(stride q + r), those terms t where dilation t = r + stride s: the elements q - s of the windows' axis
    int all = zeros;
    for (std::int64_t r = 0; r < stride; ++r) {
        dims d = to;
        std::int64_t& length = d.extent[d.rank - 1 - k];
        if (stride > 1)
            length =
                b.derived({.rule = length_rule::slice_length, .a = length, .start = r, .stop = to_end, .step = stride});
        int sum = -1;
        for (std::int64_t t = 0; t < size; ++t) {
            if (dilation * t % stride != r) continue;
            dims from = d;
            from.extent[d.rank - 1 - k] = windows;
            // a number times x between zeros, rather than the product between zeros: one multiply-add
            scaled_node const element(b, emit_window_element(b, part, t));
            int const column = emit_axes(b, element.x, axis_map::without(whole.rank, 1));
            int const padded = emit_with<padded_op>(b, emit_expand(b, column, from),
                                                    {.axes = k, .shape = b.intern(d), .offset = dilation * t / stride});
            int const term = element.times(b, padded);
            sum = sum < 0 ? term : b.real(term).add(b, sum, term);
        }
        if (stride == 1) return sum;
        if (sum >= 0) all = emit_put(b, all, sum, emit_slice(b, zeros, k, r, length, stride), false);
    }
    return all;
}

template <int Axis, int Size, int Stride, int Dilation>
struct windows_rule {
    static constexpr std::int64_t reach = static_cast<std::int64_t>(Size - 1) * Dilation;
    static constexpr dims dims_from(dims d) {
        std::int64_t& e = d.extent[d.rank - 1 - axis_from_right(Axis, d.rank)];
        if (e >= 0) e = (e - reach + Stride - 1) / Stride;
        else if (reach > 0 || Stride > 1) e = new_extent;
        d.extent[d.rank++] = Size;
        return d;
    }
    static constexpr int emit(builder& b, int x) {
        dims d = b.shape_of(x);
        int const axis = axis_from_right(Axis, d.rank);
        std::int64_t& e = d.extent[d.rank - 1 - axis];
        b.check(e, relation::at_least, reach + 1);
        e = b.difference(e, reach);
        if (Stride > 1)
            e = b.derived({.rule = length_rule::slice_length, .a = e, .start = 0, .stop = to_end, .step = Stride});
        d.extent[d.rank++] = Size;
        return emit_with<windows_op>(b, x, {.axes = axis, .number = Stride, .shape = b.intern(d), .offset = Dilation});
    }
};
}  // namespace detail::ops_part

/// The elements under windows that slide along an axis: y(..., i, ..., t) = x(..., Stride i + Dilation t, ...). The
/// axis gets as long as there are windows; the window's own axis is the last. A view: nothing is copied.
template <int Axis, int Size, int Stride = 1, int Dilation = 1, expression A>
constexpr auto windows(A const& x) {
    using rule = detail::windows_rule<Axis, Size, Stride, Dilation>;
    using op = detail::moved<"windows", rule>;
    using S = typename detail::shape_or_none<A>::type;
    if constexpr (Size < 1 || Stride < 1 || Dilation < 1) {
        refuse(because<windows_need_positive_numbers<S, Axis, Size, Stride, Dilation>>{});
        return x;
    } else {
        refuse(detail::why_no_axes<op, A, S, Axis>());
        if constexpr (!detail::is_node_ref<A> && Axis < S::rank && Axis >= -S::rank) {
            constexpr std::int64_t e = S::extents[static_cast<std::size_t>(Axis < 0 ? Axis + S::rank : Axis)];
            if constexpr (e >= 0 && e <= rule::reach) {
                refuse(because<window_is_longer_than_the_axis<S, Axis, Size, Stride, Dilation>>{});
                return x;
            } else if constexpr (S::rank == max_rank) {
                refuse(because<windows_need_one_more_axis<S>>{});
                return x;
            } else {
                return apply<op>(x);
            }
        } else {
            return apply<op>(x);
        }
    }
}

}  // namespace tapeless
