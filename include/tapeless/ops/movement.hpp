// SPDX-License-Identifier: MIT
#pragma once
// Views: axes dropped, added, permuted and stretched, slices and reshapes, which the loops that read them walk in
// place; and their inverse, which writes into a part of an array.

#include <tapeless/ops/compare.hpp>
#include <tapeless/ops/simplify/views.hpp>

namespace tapeless {
namespace detail::inline ops_part {

constexpr int emit_slice_back(builder& b, int g, int y, int x);

/// The same elements under other axes.
struct axes_op {
    static constexpr fixed_string name = "axes";
    static constexpr node_kind kind = node_kind::view;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return axis_map{n.attr.axes}.apply(b.shape_of(n.in[0])); }
    static constexpr auto pullback(auto g, auto, auto x, attribute const& at) {
        int rank = x.graph->shape_of(x.id).rank;
        return cotangents(apply_with<axes_op>(attribute{.axes = axis_map{at.axes}.inverse(rank).bits}, g));
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        return simplify_axes::first<T>(b, n);
    }
};

/// x stretched to the shape in the attribute. A result of the function gets a number, which keeps it a node of its own.
struct expand_op : elementwise<"expand"> {
    static constexpr bool same_value = true;
    static constexpr int cost = 0;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    static constexpr auto pullback(auto g, auto, auto) { return cotangents(g); }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        return simplify_expand::first<T>(b, n);
    }
};

template <class Op>
constexpr int emit_with(builder& b, int x, attribute at) {
    return table_of<Op, float>::emit(b, at, {x});
}
constexpr int emit_expand(builder& b, int x, dims const& to) {
    return emit_with<expand_op>(b, x, attribute{.shape = b.intern(to)});
}

/// x with so many axes: what it lacks are leading ones of extent 1.
constexpr int emit_leading_axes(builder& b, int x, int rank) {
    int const has = b.shape_of(x).rank;
    if (has >= rank) return x;
    if (b.is_constant(x)) return emit_expand(b, x, dims::ones(rank));
    axis_map m = axis_map::of_rank(rank);
    for (int k = 0; k < has; ++k) m.set(k, k);
    return emit_with<axes_op>(b, x, attribute{.axes = m.bits});
}

/// Elements start, start + step, ... along one axis (attr.axes, from the right); attr.shape is the result's.
struct slice_op {
    static constexpr fixed_string name = "slice";
    static constexpr node_kind kind = node_kind::view;
    static constexpr view_form form = view_form::slice;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    /// What was taken from x goes back to its place; the rest of x gets nothing.
    static constexpr auto pullback(auto g, auto y, auto x, attribute const&) {
        return cotangents(decltype(g)(g.graph, emit_slice_back(*g.graph, g.id, y.id, x.id)));
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        return simplify_slice::first<T>(b, n, slice_parts(b, n));
    }
};

/// The same elements in the same order, cut into other axes: attr.shape.
struct reshape_op {
    static constexpr fixed_string name = "reshape";
    static constexpr node_kind kind = node_kind::view;
    static constexpr view_form form = view_form::reshape;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    static constexpr auto pullback(auto g, auto y, auto x, attribute const&) {
        builder& b = *x.graph;
        int const whole = emit_expand(b, g.id, b.shape_of(y.id));
        return cotangents(decltype(g)(&b, emit_reshape(b, whole, b.shape_of(x.id))));
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        return simplify_reshape::first<T>(b, n);
    }
};

/// base, with `part` written at the places that `window` names, a view of a blank of base's shape; or added there.
struct put_op {
    static constexpr fixed_string name = "put";
    static constexpr node_kind kind = node_kind::put;
    static constexpr bool has_axes = true;
    template <class T, class, class>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[0]); }
    static constexpr auto pullback(auto g, auto y, auto, auto part, auto window, attribute const& at) {
        using R = node_ref<typename decltype(part)::value_type>;
        builder& b = *part.graph;
        int const whole = emit_expand(b, g.id, b.shape_of(y.id)),
                  zeros = b.blank(b.nodes.items[part.id].shape, b.nodes.items[part.id].type);
        int const kept = at.adds() ? whole : emit_put(b, whole, zeros, window.id, false);
        return cotangents(R(&b, kept), R(&b, emit_view_again(b, window.id, whole)), no_cotangent{});
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        return simplify_put::first<T>(b, n);
    }
};

constexpr int emit_slice(builder& b, int x, int axis, std::int64_t start, std::int64_t length, std::int64_t step) {
    dims d = b.shape_of(x);
    d.extent[d.rank - 1 - axis] = length;
    return emit_with<slice_op>(
        b, x, attribute{.axes = axis, .number = static_cast<double>(step), .shape = b.intern(d), .offset = start});
}
constexpr int emit_reshape(builder& b, int x, dims const& to) {
    return emit_with<reshape_op>(b, x, attribute{.shape = b.intern(to)});
}
constexpr int emit_put(builder& b, int base, int part, int window, bool adds) {
    node n;
    n.in[0] = base;
    n.in[1] = part;
    n.in[2] = window;
    n.attr.number = adds ? 1 : 0;
    return b.emit(table_of<put_op, float, float, float>::value, n);
}
/// x + y, both float or both double.
constexpr int emit_real_sum(builder& b, int x, int y) {
    return b.real(x).add(b, x, y);
}
/// The cotangent of x where y is a slice of it.
constexpr int emit_slice_back(builder& b, int g, int y, int x) {
    attribute const at = b.nodes.items[y].attr;
    int const part = emit_expand(b, g, b.shape_of(y));
    // a whole axis in reverse
    if (at.step() == -1 && b.nodes.items[y].shape == b.nodes.items[x].shape) return emit_with<slice_op>(b, part, at);
    int const zeros = b.blank(b.nodes.items[x].shape, b.nodes.items[g].type);
    return emit_put(b, zeros, part, emit_with<slice_op>(b, zeros, at), false);
}
/// The chain of views from `view` down to a blank, on x instead of that.
constexpr int emit_view_again(builder& b, int view, int x) {
    node const n = b.nodes.items[view];
    if (n.kind == node_kind::blank) return x;
    int const on = emit_view_again(b, n.in[0], x);
    switch (n.op->form) {
        case view_form::axes: return emit_with<axes_op>(b, on, n.attr);
        case view_form::slice: return emit_with<slice_op>(b, on, n.attr);
        case view_form::reshape: return emit_with<reshape_op>(b, on, n.attr);
        default: break;
    }
    node again;
    again.in[0] = on;
    again.attr = n.attr;
    return b.emit(*n.op, again);
}

/// Whether a node is zeros with something put into them.
constexpr bool is_patch(builder const& b, int id) {
    while (b.nodes.items[id].kind == node_kind::put) id = b.nodes.items[id].in[0];
    return b.nodes.items[id].kind == node_kind::blank;
}
/// Whether it is also the sum of its parts: no part was written over another.
constexpr bool is_sum_of_parts(builder const& b, int id) {
    for (; b.nodes.items[id].kind == node_kind::put; id = b.nodes.items[id].in[0]) {
        if (b.nodes.items[id].attr.adds()) continue;
        window_box const w = box_of(b, b.nodes.items[id].in[2]);
        for (int below = b.nodes.items[id].in[0]; b.nodes.items[below].kind == node_kind::put;
             below = b.nodes.items[below].in[0])
            if (!are_apart(b, box_of(b, b.nodes.items[below].in[2]), w)) return false;
    }
    return b.nodes.items[id].kind == node_kind::blank;
}
/// A patch under other axes: the same parts, put into zeros of those axes at once. -1 where it is no patch.
constexpr int emit_patch_under(builder& b, int patch, axis_map m) {
    if (!is_patch(b, patch)) return -1;
    node const n = b.nodes.items[patch];
    dims const d = b.shape_of(patch);
    int lost = 0;
    for (int k = 0; k < d.rank; ++k) lost += d.from_right(k) != 1;
    for (int k = 0; k < m.rank(); ++k) lost -= m.source(k) >= 0 && d.from_right(m.source(k)) != 1;
    if (lost != 0) return -1;
    int const zeros = b.blank(b.intern(m.apply(d)), n.type);
    if (n.kind == node_kind::blank) return zeros;
    int const base = emit_patch_under(b, n.in[0], m),
              back = emit_with<axes_op>(b, zeros, attribute{.axes = m.inverse(d.rank).bits});
    return emit_put(b, base, n.in[1], emit_view_again(b, n.in[2], back), n.attr.adds());
}
/// x + y of two patches, y being the sum of its parts: these are put into x, added only where the two may meet.
constexpr int emit_patches_together(builder& b, int x, int y) {
    node const n = b.nodes.items[y];
    if (n.kind == node_kind::blank) return x;
    x = emit_patches_together(b, x, n.in[0]);
    bool adds = n.attr.adds();
    window_box const w = box_of(b, n.in[2]);
    for (int i = x; b.nodes.items[i].kind == node_kind::put && !adds; i = b.nodes.items[i].in[0])
        adds = !are_apart(b, box_of(b, b.nodes.items[i].in[2]), w);
    return emit_put(b, x, n.in[1], n.in[2], adds);
}

}  // namespace detail::ops_part
}  // namespace tapeless
