// SPDX-License-Identifier: MIT
#pragma once
// Moving elements: slices and reshapes, which the loops that read them walk in place, and their inverse, which writes into
// a part of an array.

#include <tapeless/ops/layout.hpp>

namespace tapeless {
namespace detail {

constexpr int emit_slice(builder& b, int x, int axis, std::int64_t start, std::int64_t length, std::int64_t step);
constexpr int emit_reshape(builder& b, int x, dims const& to);
constexpr int emit_put(builder& b, int base, int part, int window, bool adds);
constexpr int emit_view_again(builder& b, int view, int x);
constexpr int emit_slice_back(builder& b, int g, int y, int x);

/// The places that a window names: along each axis (from the right) so many from `start` on, `step` apart.
struct window_box {
    bool ok = true;  ///< the window is such a box
    std::int64_t start[max_rank]{}, length[max_rank]{}, step[max_rank]{};
};
constexpr window_box box_of(builder const& b, int window);
constexpr bool are_apart(builder const& b, window_box const& v, window_box const& w);

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
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        node const x = b.nodes.items[n.in[0]];
        int const k = static_cast<int>(n.attr.axes);
        std::int64_t const step = static_cast<std::int64_t>(n.attr.number), length = b.shapes.items[n.attr.shape].from_right(k);
        if (x.kind == node_kind::constant) return n.in[0];
        if (n.attr.offset == 0 && step == 1 && x.shape == n.attr.shape) return n.in[0];
        if (x.kind == node_kind::view && x.op->form == view_form::slice && x.attr.axes == n.attr.axes) {
            // the element start + step i of x is first.start + first.step (start + step i) of what x is taken from
            std::int64_t const by = static_cast<std::int64_t>(x.attr.number), further = b.product(n.attr.offset, by < 0 ? -by : by);
            std::int64_t const start = by < 0 ? b.difference(x.attr.offset, further) : b.sum(x.attr.offset, further);
            return emit_slice(b, x.in[0], k, start, length, by * step);
        }
        if (x.kind == node_kind::put) {  // of what was put somewhere else, or just there
            dims const& d = b.shapes.items[x.shape];
            window_box w;
            for (int a = 0; a < max_rank; ++a) {
                w.start[a] = a == k ? n.attr.offset : 0;
                w.length[a] = a == k ? length : d.from_right(a);
                w.step[a] = a == k ? step : 1;
            }
            window_box const there = box_of(b, x.in[2]);
            if (are_apart(b, there, w)) return emit_slice(b, x.in[0], k, n.attr.offset, length, step);
            node const& window = b.nodes.items[x.in[2]];
            bool const one_slice = window.kind == node_kind::view && window.op->form == view_form::slice &&
                                   b.nodes.items[window.in[0]].kind == node_kind::blank;
            if (x.attr.number == 0 && one_slice && window.attr.axes == k && window.attr.offset == n.attr.offset &&
                window.attr.number == n.attr.number && b.nodes.items[x.in[1]].shape == n.attr.shape)
                return x.in[1];
        }
        return -1;
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
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        node const x = b.nodes.items[n.in[0]];
        if (x.kind == node_kind::constant || x.shape == n.attr.shape) return n.in[0];
        if (x.kind == node_kind::blank) return b.blank(n.attr.shape, x.type);
        if (x.kind == node_kind::view && x.op->form == view_form::reshape) return emit_reshape(b, x.in[0], b.shapes.items[n.attr.shape]);
        if (x.has_op() && x.op->same_value && x.attr.number == 0 && b.is_constant(x.in[0]))
            return emit_expand(b, x.in[0], b.shapes.items[n.attr.shape]);
        // only axes of extent 1 come and go
        dims const from = b.shapes.items[x.shape], to = b.shapes.items[n.attr.shape];
        axis_map m = axis_map::of_rank(to.rank);
        int k = 0;
        for (int j = 0; j < to.rank; ++j) {
            if (to.from_right(j) == 1) continue;
            while (k < from.rank && from.from_right(k) == 1) ++k;
            if (k == from.rank || from.from_right(k) != to.from_right(j)) return -1;
            m.set(j, k++);
        }
        while (k < from.rank && from.from_right(k) == 1) ++k;
        return k == from.rank ? emit_with<axes_op>(b, n.in[0], attribute{.axes = m.bits}) : -1;
    }
};

/// base, with `part` written at the places that `window` names, a view of a blank of base's shape; attr.number 1: added there.
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
        int const whole = emit_expand(b, g.id, b.shape_of(y.id)), zeros = b.blank(b.nodes.items[part.id].shape, b.nodes.items[part.id].type);
        int const kept = at.number == 1 ? whole : emit_put(b, whole, zeros, window.id, false);
        return cotangents(R(&b, kept), R(&b, emit_view_again(b, window.id, whole)), no_cotangent{});
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        node const base = b.nodes.items[n.in[0]], part = b.nodes.items[n.in[1]];
        bool const onto_zeros = base.kind == node_kind::blank;
        if (b.nodes.items[n.in[2]].kind == node_kind::blank && (n.attr.number == 0 || onto_zeros)) return n.in[1];
        if (part.kind == node_kind::blank && (n.attr.number == 1 || onto_zeros)) return n.in[0];
        if (n.attr.number == 1 && onto_zeros) return emit_put(b, n.in[0], n.in[1], n.in[2], false);
        if constexpr (!storage_only<T>)
            if (n.attr.number == 1 && base.kind == node_kind::put && base.in[2] == n.in[2])  // twice to the same places
                return emit_put(b, base.in[0], emit_binary<add_op, T>(b, base.in[1], n.in[1]), n.in[2], base.attr.number == 1);
        // what is itself put into zeros goes to its place at once
        if (onto_zeros && part.kind == node_kind::put && b.nodes.items[part.in[0]].kind == node_kind::blank)
            return emit_put(b, n.in[0], part.in[1], emit_view_again(b, part.in[2], n.in[2]), false);
        return -1;
    }
};

constexpr int emit_slice(builder& b, int x, int axis, std::int64_t start, std::int64_t length, std::int64_t step) {
    dims d = b.shape_of(x);
    d.extent[d.rank - 1 - axis] = length;
    return emit_with<slice_op>(b, x, attribute{.axes = axis, .number = static_cast<double>(step), .shape = b.intern(d), .offset = start});
}
constexpr int emit_reshape(builder& b, int x, dims const& to) { return emit_with<reshape_op>(b, x, attribute{.shape = b.intern(to)}); }
constexpr int emit_put(builder& b, int base, int part, int window, bool adds) {
    node n;
    n.in[0] = base;
    n.in[1] = part;
    n.in[2] = window;
    n.attr.number = adds ? 1 : 0;
    switch (b.nodes.items[part].type) {
        case dtype::f32: return b.emit(operation_table<put_op, float, float, float>::value, n);
        case dtype::f64: return b.emit(operation_table<put_op, double, double, double>::value, n);
        case dtype::i32: return b.emit(operation_table<put_op, std::int32_t, std::int32_t, std::int32_t>::value, n);
        case dtype::f16: return b.emit(operation_table<put_op, half, half, half>::value, n);
        case dtype::bf16: return b.emit(operation_table<put_op, bfloat16, bfloat16, bfloat16>::value, n);
        default: return b.emit(operation_table<put_op, std::int64_t, std::int64_t, std::int64_t>::value, n);
    }
}
/// The cotangent of x where y is a slice of it.
constexpr int emit_slice_back(builder& b, int g, int y, int x) {
    attribute const at = b.nodes.items[y].attr;
    int const part = emit_expand(b, g, b.shape_of(y));
    if (at.number == -1 && b.nodes.items[y].shape == b.nodes.items[x].shape) return emit_with<slice_op>(b, part, at);  // a whole axis in reverse
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
        default: return emit_with<reshape_op>(b, on, n.attr);
    }
}

constexpr window_box box_of(builder const& b, int window) {
    int views[16]{}, n = 0;
    for (; b.nodes.items[window].kind == node_kind::view && n < 16; window = b.nodes.items[window].in[0]) views[n++] = window;
    dims const& d = b.shape_of(window);
    window_box w;
    w.ok = b.nodes.items[window].kind == node_kind::blank;
    int axis[max_rank]{};
    for (int k = 0; k < max_rank; ++k) {
        axis[k] = k < d.rank ? k : -1;
        w.length[k] = d.from_right(k);
        w.step[k] = 1;
    }
    while (n-- > 0 && w.ok) {
        node const& v = b.nodes.items[views[n]];
        if (v.op->form == view_form::slice) {
            int const a = axis[v.attr.axes];
            w.ok = a >= 0 && w.step[a] == 1 && w.start[a] == 0;
            if (!w.ok) break;
            w.start[a] = v.attr.offset;
            w.step[a] = static_cast<std::int64_t>(v.attr.number);
            w.length[a] = b.shapes.items[v.attr.shape].from_right(static_cast<int>(v.attr.axes));
        } else if (v.op->form == view_form::axes) {
            axis_map const m{v.attr.axes};
            int was[max_rank];
            for (int k = 0; k < max_rank; ++k) was[k] = axis[k];
            for (int k = 0; k < max_rank; ++k) axis[k] = k < m.rank() && m.source(k) >= 0 ? was[m.source(k)] : -1;
        } else {
            w.ok = false;
        }
    }
    return w;
}
/// start + length, where that has a name; 0 where it has none.
constexpr std::int64_t end_of(builder const& b, std::int64_t start, std::int64_t length) {
    start = b.resolve(start);
    length = b.resolve(length);
    if (start >= 0 && length >= 0) return start + length;
    if (start == 0) return length;
    if (length == 0) return start;
    if (length < 0) {
        length_formula const& f = b.extents.items[static_cast<int>(~length)].formula;
        if (f.rule == length_rule::difference) {  // n - k from k on, or from min(n, k) on
            length_formula const less = start < 0 ? b.extents.items[static_cast<int>(~start)].formula : length_formula{};
            bool const cut = less.rule == length_rule::minimum && b.resolve(less.a) == b.resolve(f.a) && b.resolve(less.b) == b.resolve(f.b);
            if (b.resolve(f.b) == start || cut) return b.resolve(f.a);
        }
    }
    int const known = b.with_formula({.rule = length_rule::sum, .a = start, .b = length});
    return known < 0 ? 0 : b.resolve(~static_cast<std::int64_t>(known));
}
/// Whether x <= y for certain.
constexpr bool at_most(builder const& b, std::int64_t x, std::int64_t y, int depth = 0) {
    x = b.resolve(x);
    y = b.resolve(y);
    if (x == y || x == 0) return true;
    if (x >= 0 && y >= 0) return x <= y;
    if (y >= 0 || depth > 8) return false;
    length_formula const& f = b.extents.items[static_cast<int>(~y)].formula;
    return f.rule == length_rule::sum && (at_most(b, x, f.a, depth + 1) || at_most(b, x, f.b, depth + 1));
}
/// Whether two windows have no place in common, for certain.
constexpr bool are_apart(builder const& b, window_box const& v, window_box const& w) {
    if (!v.ok || !w.ok) return false;
    for (int k = 0; k < max_rank; ++k) {
        auto before = [&](window_box const& x, window_box const& y) {  // the last place of x is before the first of y
            if (x.step[k] == 1 && y.step[k] >= 0) {
                std::int64_t const end = end_of(b, x.start[k], x.length[k]);
                return (end != 0 || (x.start[k] == 0 && x.length[k] == 0)) && at_most(b, end, y.start[k]);
            }
            if (x.start[k] < 0 || x.length[k] < 0 || y.start[k] < 0 || y.length[k] < 0) return false;
            std::int64_t const x_last = x.start[k] + (x.step[k] > 0 ? (x.length[k] - 1) * x.step[k] : 0);
            std::int64_t const y_first = y.start[k] + (y.step[k] < 0 ? (y.length[k] - 1) * y.step[k] : 0);
            return x_last < y_first;
        };
        if (before(v, w) || before(w, v)) return true;
    }
    return false;
}

/// Whether a node is zeros with something put into them.
constexpr bool is_patch(builder const& b, int id) {
    while (b.nodes.items[id].kind == node_kind::put) id = b.nodes.items[id].in[0];
    return b.nodes.items[id].kind == node_kind::blank;
}
/// Whether it is also the sum of its parts: no part was written over another.
constexpr bool is_sum_of_parts(builder const& b, int id) {
    for (; b.nodes.items[id].kind == node_kind::put; id = b.nodes.items[id].in[0]) {
        if (b.nodes.items[id].attr.number == 1) continue;
        window_box const w = box_of(b, b.nodes.items[id].in[2]);
        for (int below = b.nodes.items[id].in[0]; b.nodes.items[below].kind == node_kind::put; below = b.nodes.items[below].in[0])
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
    int const base = emit_patch_under(b, n.in[0], m), back = emit_with<axes_op>(b, zeros, attribute{.axes = m.inverse(d.rank).bits});
    return emit_put(b, base, n.in[1], emit_view_again(b, n.in[2], back), n.attr.number == 1);
}
/// x + y of two patches, y being the sum of its parts: these are put into x, added only where the two may meet.
constexpr int emit_patches_together(builder& b, int x, int y) {
    node const n = b.nodes.items[y];
    if (n.kind == node_kind::blank) return x;
    x = emit_patches_together(b, x, n.in[0]);
    bool adds = n.attr.number == 1;
    window_box const w = box_of(b, n.in[2]);
    for (int i = x; b.nodes.items[i].kind == node_kind::put && !adds; i = b.nodes.items[i].in[0])
        adds = !are_apart(b, box_of(b, b.nodes.items[i].in[2]), w);
    return emit_put(b, x, n.in[1], n.in[2], adds);
}

}  // namespace detail
}  // namespace tapeless
