// SPDX-License-Identifier: MIT
#pragma once
// Multiply-adds: made by the last pass over the graph, after differentiation, so they carry no rule.

#include <tapeless/ops/arithmetic.hpp>

namespace tapeless::detail {

/// a * b + c
struct fma_op : elementwise<"fma"> {
    static constexpr bool differentiable = false;
    static constexpr int cost = 1;
    static auto eval(auto a, auto b, auto c) { return simd::fma(a, b, c); }
};
/// a * b - c
struct fms_op : elementwise<"fms"> {
    static constexpr bool differentiable = false;
    static constexpr int cost = 1;
    static auto eval(auto a, auto b, auto c) { return simd::fms(a, b, c); }
};
/// c - a * b
struct fnma_op : elementwise<"fnma"> {
    static constexpr bool differentiable = false;
    static constexpr int cost = 1;
    static auto eval(auto a, auto b, auto c) { return simd::fnma(a, b, c); }
};

template <class Op>
constexpr int emit_fused(builder& b, int product, int c) {
    node n;
    n.in[0] = b.nodes.items[product].in[0];
    n.in[1] = b.nodes.items[product].in[1];
    n.in[2] = c;
    return b.nodes.items[c].type == dtype::f32 ? b.emit(operation_table<Op, float, float, float>::value, n)
                                         : b.emit(operation_table<Op, double, double, double>::value, n);
}

/// The node as a multiply-add, where it is one of full shape; otherwise -1.
constexpr int fuse_multiply_add(builder& b, node const& n, int shape) {
    bool add = n.op->is == builtin::add, sub = n.op->is == builtin::sub;
    if ((!add && !sub) || !is_floating(n.type)) return -1;
    auto product = [&](int id) { return is_op(b, id, builtin::mul) && b.nodes.items[id].shape == shape; };
    if (add && product(n.in[0])) return emit_fused<fma_op>(b, n.in[0], n.in[1]);
    if (add && product(n.in[1])) return emit_fused<fma_op>(b, n.in[1], n.in[0]);
    if (sub && product(n.in[1])) return emit_fused<fnma_op>(b, n.in[1], n.in[0]);
    if (sub && product(n.in[0])) return emit_fused<fms_op>(b, n.in[0], n.in[1]);
    return -1;
}

}  // namespace tapeless::detail
