// SPDX-License-Identifier: MIT
#pragma once
// What an index picks as a view: loops that have a few numbers of each row read them where they are, and add to them
// there. Only passes make it, when derivatives are done.

#include <tapeless/ops/movement.hpp>

namespace tapeless::detail::inline ops_part {

/// The rows of x at an index across an axis (attr.axes, from the right): its second operand. attr.shape is the
/// result's.
struct picked_op {
    static constexpr fixed_string name = "picked";
    static constexpr node_kind kind = node_kind::view;
    static constexpr view_form form = view_form::picked;
    static constexpr bool has_axes = true, differentiable = false;
    template <class T, class>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
};
/// Rows of x, as a view of this shape.
constexpr int emit_picked(builder& b, int x, int index, int axis, int shape) {
    node n;
    n.in[0] = x;
    n.in[1] = index;
    n.attr.axes = axis;
    n.attr.shape = shape;
    return b.emit(table_of<picked_op, float, float>::value, n);
}

/// Whether an index is one that loops can go by: handed in, it has been looked at before any of them runs.
constexpr bool goes_by_index(builder const& b, int index) {
    node const& n = b.nodes.items[index];
    return n.is_given() && (n.type == dtype::i32 || n.type == dtype::i64) && !b.shape_of(index).is_scalar();
}
constexpr bool goes_by_index(builder const& b, node const& n, builtin op) {
    return n.kind == node_kind::custom_loop && n.op->is == op && n.item_axes == 0 && n.attr.axes >= 0 &&
           (n.type == dtype::f32 || n.type == dtype::f64) && goes_by_index(b, n.in[1]);
}
/// Rows picked from what is in memory; those of an array that has but one are not looked for.
constexpr bool picks_rows(builder const& b, node const& n) {
    if (!goes_by_index(b, n, builtin::picked_rows)) return false;
    node const& x = b.nodes.items[n.in[0]];
    return (x.is_given() || x.is_written_by_a_loop()) &&
           b.resolve(b.shape_of(n.in[0]).from_right(static_cast<int>(n.attr.axes))) != 1;
}
/// Rows added up at an index.
constexpr bool adds_rows(builder const& b, node const& n) {
    return goes_by_index(b, n, builtin::added_rows) && !n.attr.leaves_out() &&
           b.resolve(b.shapes.items[n.shape].from_right(static_cast<int>(n.attr.axes))) != 1;
}

}  // namespace tapeless::detail::ops_part
