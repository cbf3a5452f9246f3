// SPDX-License-Identifier: MIT
#pragma once
// Nodes made in rules of simplification, and what such rules ask of nodes.

#include <tapeless/ir/simplification.hpp>
#include <tapeless/ops/operation.hpp>

namespace tapeless {
struct neg_op;
struct add_op;
struct sub_op;
struct mul_op;
struct div_op;
struct sqrt_op;
struct pow_number_op;

namespace detail::inline ops_part {

template <class Op, class T>
constexpr int emit_binary(builder& b, int x, int y) {
    return operation_table<Op, T, T>::emit(b, {}, {x, y});
}
template <class Op, class T>
constexpr int emit_unary(builder& b, int x) {
    return operation_table<Op, T>::emit(b, {}, {x});
}
template <class T>
constexpr int emit_constant(builder& b, double v) {
    return b.constant(v, dtype_of<T>());
}
template <class T>
constexpr int emit_masked(builder& b, int mask, int x);
constexpr int emit_expand(builder& b, int x, dims const& to);

constexpr bool is_op(builder const& b, int id, builtin op) {
    return b.nodes.items[id].has_op() && b.nodes.items[id].op->is == op;
}
/// Whether a value is the number 0, stretched and under whatever axes: what comes back through a weight of 0 is.
constexpr bool is_zero_everywhere(builder const& b, int id) {
    while (b.nodes.items[id].is_stretched() || b.nodes.items[id].is_axes_view()) id = b.nodes.items[id].in[0];
    return b.is_constant(id, 0);
}
/// Operand j of node id.
constexpr int input_of(builder const& b, int id, int j) { return b.nodes.items[id].in[j]; }
constexpr double number_of(builder const& b, int id) { return b.nodes.items[id].attr.value(); }

/// A constant made from others. Integers stay as they are written where that would not be exact.
template <class T>
constexpr int emit_folded(builder& b, double v) {
    if constexpr (std::integral<T>)
        if (!is_exact<T>(v)) return as_it_stands;
    return emit_constant<T>(b, v);
}
/// A constant first: a * 2 and 2 * a are one value.
constexpr void constant_first(builder const& b, int& x, int& y) {
    if (b.is_constant(y) && !b.is_constant(x)) {
        int t = x;
        x = y;
        y = t;
    }
}
/// x, or the number that it is stretched from where `beside` has its shape anyway.
constexpr int unstretched(builder const& b, int x, int beside) {
    node const& n = b.nodes.items[x];
    bool const number = n.is_stretched() && b.is_constant(n.in[0]);
    return number && n.shape == b.nodes.items[beside].shape ? n.in[0] : x;
}
/// where(m, a, 0): a cotangent that is zero outside a mask.
constexpr bool is_masked(builder const& b, int id) {
    return is_op(b, id, builtin::where) && b.is_constant(input_of(b, id, 2), 0);
}
/// A number of moderate size: a literal, an extent, or a product or quotient of such; or 0 instead.
constexpr bool is_benign(builder const& b, int id) {
    node const& n = b.nodes.items[id];
    if (n.kind == node_kind::constant) return n.attr.value() < 1e6 && n.attr.value() > -1e6;
    if (n.kind == node_kind::extent) return true;
    if (is_op(b, id, builtin::mul) || is_op(b, id, builtin::div)) return is_benign(b, n.in[0]) && is_benign(b, n.in[1]);
    if (is_masked(b, id)) return is_benign(b, n.in[1]);
    return is_op(b, id, builtin::neg) && is_benign(b, n.in[0]);
}
/// In float a product may leave the range that another grouping keeps to, so only numbers of moderate size change
/// places.
template <class T>
constexpr bool may_move(builder const& b, int id) {
    return std::same_as<T, double> || is_benign(b, id);
}

}  // namespace detail::ops_part
}  // namespace tapeless
