// SPDX-License-Identifier: MIT
#pragma once
// Values between zeros, which loops read where they are; and sums of what was put into zeros, as sums of such values.

#include <tapeless/ops/movement.hpp>

namespace tapeless::detail::inline ops_part {

/// x between zeros along an axis (attr.axes, from the right), attr.before() of them before it; attr.shape is the
/// result's. Loops read x where it is.
struct padded_op {
    static constexpr fixed_string name = "padded";
    static constexpr node_kind kind = node_kind::padded;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    static constexpr auto pullback(auto g, auto y, auto x, attribute const& at) {
        builder& b = *g.graph;
        int const whole = emit_expand(b, g.id, b.shape_of(y.id)), axis = static_cast<int>(at.axes);
        return cotangents(
            decltype(g)(&b, emit_slice(b, whole, axis, at.before(), b.shape_of(x.id).from_right(axis), 1)));
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        node const& x = b.nodes.items[n.in[0]];
        if (x.kind == node_kind::blank) return b.blank(n.attr.shape, x.type);
        if (is_zero_everywhere(b, n.in[0])) return emit_expand(b, b.constant(0, x.type), b.shapes.items[n.attr.shape]);
        return x.shape == n.attr.shape ? n.in[0] : -1;
    }
};

/// c x, or -(c x), as c and x where c is a number; x may have a sign alone.
struct scaled_node {
    int factor = -1, x = -1;
    bool negative = false;
    constexpr scaled_node(builder const& b, int id) : x(id) {
        skip_signs(b);
        node const& n = b.nodes.items[x];
        if (!is_op(b, x, builtin::mul) || !b.is_constant(n.in[0])) return;
        double const c = b.nodes.items[n.in[0]].attr.value();
        if (c - c != 0) return;  // infinite: nothing is 0 beside it
        factor = n.in[0];
        x = n.in[1];
        skip_signs(b);
    }
    constexpr int times(builder& b, int y) const {
        if (factor < 0) return negative ? b.real(y).neg(b, y) : y;
        node const c = b.nodes.items[factor];
        return b.real(y).mul(b, negative ? b.constant(-c.attr.value(), c.type) : factor, y);
    }

private:
    constexpr void skip_signs(builder const& b) {
        for (; is_op(b, x, builtin::neg); x = b.nodes.items[x].in[0]) negative = !negative;
    }
};

constexpr int emit_rolled(builder& b, int x, attribute const& at);
/// x moved by attr.shift() along an axis (attr.axes, from the right), what leaves at one end coming in at the other;
/// attr.shape is x's. Loops read x where it is.
struct rolled_op {
    static constexpr fixed_string name = "roll";
    static constexpr node_kind kind = node_kind::padded;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    static constexpr auto pullback(auto g, auto y, auto, attribute at) {
        builder& b = *g.graph;
        at.number = -at.number;
        return cotangents(decltype(g)(&b, emit_rolled(b, emit_expand(b, g.id, b.shape_of(y.id)), at)));
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return b.is_constant(n.in[0]) || b.nodes.items[n.in[0]].kind == node_kind::blank ? n.in[0] : -1;
    }
};

/// c x is rolled as c times what x is: what is rolled is stored, and x may be already.
constexpr int emit_rolled(builder& b, int x, attribute const& at) {
    scaled_node const part(b, x);
    node const inner = b.nodes.items[part.x];
    if (inner.kind == node_kind::padded && inner.attr.shift() != 0 && inner.attr.axes == at.axes &&
        inner.attr.shape == at.shape) {  // twice along one axis is once by both
        attribute both = at;
        both.number += inner.attr.number;
        return part.times(b, both.shift() == 0 ? inner.in[0] : emit_rolled(b, inner.in[0], both));
    }
    return part.times(b, emit_with<rolled_op>(b, emit_expand(b, part.x, dims(b.shapes.items[at.shape])), at));
}

/// By how much a part is shorter than its axis, at most; -1 where that is not known.
constexpr std::int64_t shorter_by(builder const& b, std::int64_t part, std::int64_t axis, int depth = 0) {
    part = b.resolve(part);
    axis = b.resolve(axis);
    if (part == axis) return 0;
    if (part >= 0 && axis >= 0) return axis - part;
    if (axis < 0) {  // a part with a number of elements around it
        length_formula const& f = b.extents.items[static_cast<int>(~axis)].formula;
        std::int64_t const x = b.resolve(f.a), y = b.resolve(f.b);
        if (f.rule == length_rule::sum && x == part && y >= 0) return y;
        if (f.rule == length_rule::sum && y == part && x >= 0) return x;
    }
    if (part >= 0 || depth > 4) return -1;
    length_formula const& f = b.extents.items[static_cast<int>(~part)].formula;
    if (f.rule != length_rule::difference) return -1;
    std::int64_t const so_far = shorter_by(b, f.a, axis, depth + 1);
    std::int64_t less = b.resolve(f.b);
    if (less < 0) {  // as much as there is of a number
        length_formula const& cut = b.extents.items[static_cast<int>(~less)].formula;
        less = cut.rule == length_rule::minimum ? b.resolve(cut.b) : -1;
    }
    return so_far < 0 || less < 0 ? -1 : so_far + less;
}
/// Whether a patch is a sum of parts that are each nearly all of the array, as slices of step 1 are in a stencil.
constexpr bool has_large_parts(builder const& b, int patch) {
    if (b.nodes.items[patch].kind != node_kind::put || !is_sum_of_parts(b, patch)) return false;
    if (!is_floating(b.nodes.items[patch].type)) return false;
    dims const& d = b.shape_of(patch);
    for (; b.nodes.items[patch].kind == node_kind::put; patch = b.nodes.items[patch].in[0]) {
        int window = b.nodes.items[patch].in[2];
        window_box const w = box_of(b, window);
        for (; b.nodes.items[window].is_slice();) window = b.nodes.items[window].in[0];
        if (!w.ok || b.nodes.items[window].kind != node_kind::blank) return false;
        for (int k = 0; k < d.rank; ++k) {
            std::int64_t const e = b.resolve(d.from_right(k)), less = shorter_by(b, w.length[k], e);
            if (w.step[k] != 1 || less < 0 || (e >= 0 ? 4 * less > e : less > 16)) return false;
        }
    }
    return true;
}
/// Whether parts of two patches may meet.
constexpr bool patches_meet(builder const& b, int x, int y) {
    for (int i = x; b.nodes.items[i].kind == node_kind::put; i = b.nodes.items[i].in[0])
        for (int j = y; b.nodes.items[j].kind == node_kind::put; j = b.nodes.items[j].in[0])
            if (!are_apart(b, box_of(b, b.nodes.items[i].in[2]), box_of(b, b.nodes.items[j].in[2]))) return true;
    return false;
}
/// `sum` with the parts of such a patch, each between zeros.
constexpr int emit_between_zeros(builder& b, int sum, int patch) {
    node const n = b.nodes.items[patch];
    if (n.kind != node_kind::put) return sum;
    sum = emit_between_zeros(b, sum, n.in[0]);
    window_box const w = box_of(b, n.in[2]);
    dims const whole = b.shape_of(patch);
    scaled_node const part(b, n.in[1]);
    dims d = b.shape_of(n.in[2]);
    int x = emit_expand(b, part.x, d);
    for (int k = 0; k < d.rank; ++k) {
        if (b.resolve(d.from_right(k)) == b.resolve(whole.from_right(k))) continue;
        d.extent[d.rank - 1 - k] = whole.from_right(k);
        x = emit_with<padded_op>(b, x, {.axes = k, .shape = b.intern(d), .offset = w.start[k]});
    }
    x = part.times(b, x);
    return sum < 0 ? x : b.real(x).add(b, sum, x);
}
/// Whether a node is a sum of values between zeros.
constexpr bool is_between_zeros(builder const& b, int id) {
    node const& n = b.nodes.items[scaled_node(b, id).x];
    if (n.kind == node_kind::padded) return n.attr.shift() == 0;
    return (is_op(b, id, builtin::add) || is_op(b, id, builtin::sub)) &&
           (is_between_zeros(b, n.in[0]) || is_between_zeros(b, n.in[1]));
}
/// Whether parts of a sum were added to something that is no patch.
constexpr bool has_parts_added(builder const& b, int id) {
    return b.nodes.items[id].kind == node_kind::put && b.nodes.items[id].attr.adds() && !is_patch(b, id);
}
/// x with the parts of a patch added to it, each in its place.
constexpr int emit_parts_added(builder& b, int x, int patch) {
    node const n = b.nodes.items[patch];
    return n.kind == node_kind::put ? emit_put(b, emit_parts_added(b, x, n.in[0]), n.in[1], n.in[2], true) : x;
}
/// x + y, where that is best read from between zeros: the parts of a patch that are nearly all of it are added where
/// they are needed, in one loop, rather than one after the other to what is in memory. What is added to few elements,
/// as at the ends of a grid, comes last: it is added to those in memory. -1 otherwise.
constexpr int emit_gathered_sum(builder& b, int x, int y) {
    if (!is_floating(b.nodes.items[x].type)) return -1;
    if (!has_large_parts(b, y)) {
        bool const few = b.nodes.items[y].kind == node_kind::put && is_sum_of_parts(b, y);
        return few && (is_between_zeros(b, x) || has_parts_added(b, x)) ? emit_parts_added(b, x, y) : -1;
    }
    if (has_parts_added(b, x)) {
        node const n = b.nodes.items[x];
        return emit_put(b, emit_gathered_sum(b, n.in[0], y), n.in[1], n.in[2], true);
    }
    if (!is_patch(b, x)) return emit_between_zeros(b, x, y);
    if (!has_large_parts(b, x))
        return is_sum_of_parts(b, x) ? emit_parts_added(b, emit_between_zeros(b, -1, y), x) : -1;
    return patches_meet(b, x, y) ? emit_between_zeros(b, emit_between_zeros(b, -1, x), y) : -1;
}

}  // namespace tapeless::detail::ops_part
