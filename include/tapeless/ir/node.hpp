// SPDX-License-Identifier: MIT
#pragma once
// A node of a graph: an operation, the nodes that are its operands, and its shape.

#include <bit>
#include <cstdint>

#include <tapeless/ir/operation_info.hpp>

namespace tapeless::detail::inline ir_part {

struct node {
    operation const* op = nullptr;
    node_kind kind = node_kind::constant;
    dtype type = dtype::f32;
    int in[max_inputs]{-1, -1, -1, -1, -1};
    int shape = 0;  ///< number in the builder's table of shapes
    int source = -1;  ///< of an argument: which leaf; of an extent: which one; of a table: where its bytes begin
    attribute attr;
    /// the operation is done to each item along so many leading axes, which all operands but numbers have
    int item_axes = 0;
    int next = -1;  ///< the next node with the same hash
    /// Told by the kind: under -fsanitize g++ does not compare addresses with null in constant expressions.
    constexpr bool has_op() const { return kind >= node_kind::elementwise; }
    constexpr int arity() const { return kind >= node_kind::elementwise ? op->arity : 0; }

    // What a node is, where its kind alone does not tell.

    /// An array that is in memory before anything is computed.
    constexpr bool is_given() const { return kind == node_kind::argument || kind == node_kind::table; }
    /// So many operands are needed for the value; the others of an alias are for its derivative rule.
    constexpr int needed_inputs() const { return kind == node_kind::alias ? 1 : arity(); }
    /// The value of its first operand under a derivative rule of its own.
    constexpr bool has_rule_of_its_own() const { return kind == node_kind::alias && op->arity > 1; }
    constexpr bool has_role(loop_role role) const { return kind == node_kind::custom_loop && op->role == role; }
    /// One value is computed from those at the same index.
    constexpr bool computes_elements() const { return kind == node_kind::elementwise && !op->same_value; }
    /// An operand under a larger shape, and nothing that has to be in memory of its own.
    constexpr bool is_stretched() const {
        return kind == node_kind::elementwise && op->same_value && !attr.is_labelled();
    }
    /// A loop writes it: not an argument, a number, a view, or another name for something.
    constexpr bool is_written_by_a_loop() const {
        switch (kind) {
            case node_kind::elementwise: return !op->same_value;
            case node_kind::reduce:
            case node_kind::contract:
            case node_kind::padded:
            case node_kind::put:
            case node_kind::custom_loop: return true;
            default: return false;
        }
    }
    constexpr bool is_axes_view() const { return kind == node_kind::view && op->form == view_form::axes; }
    constexpr bool is_slice() const { return kind == node_kind::view && op->form == view_form::slice; }
    constexpr bool is_reshape() const { return kind == node_kind::view && op->form == view_form::reshape; }
    constexpr bool is_picked() const { return kind == node_kind::view && op->form == view_form::picked; }
    constexpr bool is_windows() const { return kind == node_kind::view && op->form == view_form::windows; }
    /// Nodes with the same value: everything but `next` counts, and numbers bit by bit.
    constexpr bool equals(node const& o) const {
        return kind == o.kind && in[0] == o.in[0] && in[1] == o.in[1] && in[2] == o.in[2] && in[3] == o.in[3] &&
               in[4] == o.in[4] && shape == o.shape && source == o.source && type == o.type &&
               item_axes == o.item_axes && attr.axes == o.attr.axes && attr.shape == o.attr.shape &&
               attr.offset == o.attr.offset &&
               std::bit_cast<std::uint64_t>(attr.number) == std::bit_cast<std::uint64_t>(o.attr.number) &&
               (!has_op() || same_operation(op, o.op));
    }
};

}  // namespace tapeless::detail::ir_part
