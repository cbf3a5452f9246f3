// SPDX-License-Identifier: MIT
#pragma once
// Calls of bodies in a graph: the nodes that stand for the operands, the call and its results.

#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/slice.hpp>

namespace tapeless::detail::inline ops_part {

/// N values as one operand, and the call of a body with such an operand. They are nodes without a value.
template <loop_role Role, int N>
struct call_table {
    static constexpr dims no_shape(builder&, node const&) { return {}; }
    static constexpr operation make() {
        operation o;
        o.name = Role == loop_role::call ? "call" : "operands";
        o.identity = identity_of<call_table>();
        o.kind = node_kind::custom_loop;
        o.role = Role;
        o.arity = N;
        o.shape = &no_shape;
        o.shapes = o.differentiable = true;
        return o;
    }
    static constexpr operation value = make();
};

/// Result number attr.offset of a call, which is the operand; the attribute holds its shape.
struct call_result_op {
    static constexpr fixed_string name = "result";
    static constexpr node_kind kind = node_kind::custom_loop;
    static constexpr loop_role role = loop_role::result;
    static constexpr bool has_axes = true;
    template <class T>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    /// The rule of the call is one for all its results.
    static constexpr auto pullback(auto, auto, auto, attribute const&) { return cotangents(no_cotangent{}); }
};

constexpr bool has_role(builder const& b, int id, loop_role role) {
    return b.nodes.items[id].kind == node_kind::custom_loop && b.nodes.items[id].op->role == role;
}

/// Values as one operand.
constexpr int emit_operands(builder& b, list<int> values) {
    if (values.empty()) return b.emit(call_table<loop_role::operands, 0>::value, node{});
    do {
        list<int> groups;
        for (int i = 0; i < values.size(); i += max_inputs) {
            int const n = values.size() - i < max_inputs ? values.size() - i : max_inputs;
            node pack;
            for (int j = 0; j < n; ++j) pack.in[j] = values[i + j];
            groups.push(b.emit(n == 1   ? call_table<loop_role::operands, 1>::value
                               : n == 2 ? call_table<loop_role::operands, 2>::value
                               : n == 3 ? call_table<loop_role::operands, 3>::value
                               : n == 4 ? call_table<loop_role::operands, 4>::value
                                        : call_table<loop_role::operands, 5>::value,
                               pack));
        }
        values = groups;
    } while (values.size() > 1);
    return values[0];
}
constexpr void flatten_operands(builder const& b, int id, list<int>& to) {
    node const& n = b.nodes.items[id];
    for (int j = 0; j < n.arity(); ++j)
        if (has_role(b, n.in[j], loop_role::operands)) flatten_operands(b, n.in[j], to);
        else to.push(n.in[j]);
}
/// The operands of a call.
constexpr list<int> operands_of(builder const& b, int call) {
    list<int> r;
    flatten_operands(b, b.nodes.items[call].in[0], r);
    return r;
}

constexpr int emit_call(builder& b, call_info const& info, list<int> const& operands) {
    node n;
    n.in[0] = emit_operands(b, operands);
    n.source = b.calls.push(info);
    return b.emit(call_table<loop_role::call, 1>::value, n);
}
/// Result k of a call. (The type of the call's node says nothing: that of the result is the table's.)
constexpr int emit_result(builder& b, int call, int k, dims const& shape, dtype type) {
    node n;
    n.in[0] = call;
    n.attr.offset = k;
    n.attr.shape = b.intern(shape);
    switch (type) {
        case dtype::f32:
        case dtype::f64: return b.emit(*b.rules[type == dtype::f64]->call_result, n);
        case dtype::i32: return b.emit(operation_table<call_result_op, std::int32_t>::value, n);
        default: return b.emit(operation_table<call_result_op, std::int64_t>::value, n);
    }
}

/// The nodes that are results of calls.
constexpr list<int> result_nodes(builder const& b) {
    list<int> r;
    if (b.calls.empty()) return r;
    for (int i = 0; i < b.nodes.size(); ++i)
        if (has_role(b, i, loop_role::result)) r.push(i);
    return r;
}

/// Elements start ... start + length - 1 along the first axis.
constexpr int emit_leading(builder& b, int x, std::int64_t start, std::int64_t length) {
    return emit_slice(b, x, b.shape_of(x).rank - 1, start, length, 1);
}
/// Called where an array of items, or of steps, would have more axes than an array can have: not a constant
/// expression, so the compiler names it.
inline void more_axes_than_an_array_can_have() {}

/// A shape with one more leading axis.
constexpr dims with_leading(builder const& b, std::int64_t length, dims const& d) {
    if (d.rank == max_rank) more_axes_than_an_array_can_have();
    dims r;
    r.rank = d.rank + 1;
    r.extent[0] = b.resolve(length);
    for (int a = 0; a < d.rank; ++a) r.extent[a + 1] = d.extent[a];
    return r;
}
/// And without the leading one.
constexpr dims without_leading(dims const& d) {
    dims r;
    r.rank = d.rank - 1;
    for (int k = 0; k < r.rank; ++k) r.extent[k] = d.extent[k + 1];
    return r;
}

/// What a value is some elements of along the first axis, perhaps without axes of length 1, or reshaped.
constexpr int piece_of(builder const& b, int id) {
    auto is_piece = [&](node const& n) {
        if (n.kind != node_kind::view) return false;
        if (n.op->form == view_form::slice)
            return n.attr.step() == 1 && n.attr.axes == b.shapes.items[n.shape].rank - 1;
        if (n.op->form == view_form::axes) return axis_map{n.attr.axes}.keeps_memory(b.shape_of(n.in[0]));
        return is_argument_reshaped(b, n);
    };
    while (is_piece(b.nodes.items[id])) id = b.nodes.items[id].in[0];
    return id;
}
/// Whether a value is in memory in one piece: an argument, something computed, or a piece of such.
constexpr bool is_one_piece(builder const& b, int id) {
    node const* const n = &b.nodes.items[piece_of(b, id)];
    if (n->is_given()) return is_dense(b, *n);
    if (!n->has_op() || n->kind == node_kind::view || is_mask(n->type)) return false;
    return !n->is_stretched();
}
/// Whether a value is an argument, or elements along the first axis of one, whose strides only run time knows.
constexpr bool is_strided_argument(builder const& b, int id) {
    node const& n = b.nodes.items[piece_of(b, id)];
    return n.kind == node_kind::argument && !is_dense(b, n) && b.shape_of(piece_of(b, id)).rank == b.shape_of(id).rank;
}
/// The value in memory in one piece.
constexpr int emit_in_one_piece(builder& b, int id) {
    if (is_one_piece(b, id)) return id;
    return emit_with<expand_op>(b, id, attribute::labelled(-1, b.nodes.items[id].shape));
}

}  // namespace tapeless::detail::ops_part
