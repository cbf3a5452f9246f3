// SPDX-License-Identifier: MIT
#pragma once
// Multiply-adds: made by the last pass over the graph, after differentiation, so they carry no rule.

#include <tapeless/ops/arithmetic.hpp>

namespace tapeless::detail::inline ops_part {

/// a * b + c
struct fma_op : elementwise<"fma"> {
    static constexpr bool differentiable = false;
    static constexpr int cost = 1;
    static constexpr bool knows_numbers = true;
    static auto eval(auto a, auto b, auto c) { return simd::fma(a, b, c); }
};
/// a * b - c
struct fms_op : elementwise<"fms"> {
    static constexpr bool differentiable = false;
    static constexpr int cost = 1;
    static constexpr bool knows_numbers = true;
    static auto eval(auto a, auto b, auto c) { return simd::fms(a, b, c); }
};
/// c - a * b
struct fnma_op : elementwise<"fnma"> {
    static constexpr bool differentiable = false;
    static constexpr int cost = 1;
    static constexpr bool knows_numbers = true;
    static auto eval(auto a, auto b, auto c) { return simd::fnma(a, b, c); }
};
template <>
inline constexpr builtin builtin_of<fma_op> = builtin::product_and_term;
template <>
inline constexpr builtin builtin_of<fms_op> = builtin::product_and_term;
template <>
inline constexpr builtin builtin_of<fnma_op> = builtin::product_and_term;

constexpr int emit_fused(builder& b, operation const* real_rules::*op, int product, int c) {
    node n;
    n.in[0] = b.nodes.items[product].in[0];
    n.in[1] = b.nodes.items[product].in[1];
    n.in[2] = c;
    return b.emit(*(b.real(c).*op), n);
}

/// A product of the shape of node n.
constexpr bool is_product_for(builder const& b, node const& n, int id) {
    return is_op(b, id, builtin::mul) && b.nodes.items[id].shape == n.shape;
}
struct product_plus {
    static constexpr simplification row{"product plus", "x * y + z", "fma(x, y, z)", exactness::reassociates};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return n.op->is == builtin::add && is_product_for(b, n, n.in[0])
                   ? emit_fused(b, &real_rules::fma, n.in[0], n.in[1])
                   : not_this;
    }
};
struct plus_product {
    static constexpr simplification row{"plus product", "z + x * y", "fma(x, y, z)", exactness::reassociates};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return n.op->is == builtin::add && is_product_for(b, n, n.in[1])
                   ? emit_fused(b, &real_rules::fma, n.in[1], n.in[0])
                   : not_this;
    }
};
struct minus_product {
    static constexpr simplification row{"minus product", "z - x * y", "fma(-x, y, z)", exactness::reassociates};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return n.op->is == builtin::sub && is_product_for(b, n, n.in[1])
                   ? emit_fused(b, &real_rules::fnma, n.in[1], n.in[0])
                   : not_this;
    }
};
struct product_minus {
    static constexpr simplification row{"product minus", "x * y - z", "fma(x, y, -z)", exactness::reassociates};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return n.op->is == builtin::sub && is_product_for(b, n, n.in[0])
                   ? emit_fused(b, &real_rules::fms, n.in[0], n.in[1])
                   : not_this;
    }
};
using multiply_adds = simplifications<product_plus, plus_product, minus_product, product_minus>;

/// The node as a multiply-add, where it is one of full shape; otherwise -1.
constexpr int fuse_multiply_add(builder& b, node const& n) {
    if ((n.op->is != builtin::add && n.op->is != builtin::sub) || !is_floating(n.type)) return -1;
    return multiply_adds::first<void>(b, n);
}

}  // namespace tapeless::detail::ops_part
