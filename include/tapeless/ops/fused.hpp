// SPDX-License-Identifier: MIT
#pragma once
// Multiply-adds: made by the last pass over the graph, after differentiation, so they carry no rule.

#include <tapeless/ops/arithmetic.hpp>
#include <tapeless/ops/simplify/views.hpp>

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

/// A product of the shape of node n, or one number under other axes as n is; otherwise -1.
constexpr int product_for(builder const& b, node const& n, int id) {
    auto is_number = [](dims const& d) { return d.is_static() && d.static_size() == 1; };
    bool const number = is_number(b.shapes.items[n.shape]);
    auto is_under_axes = [&](node const& x) { return x.is_stretched() || x.is_axes_view() || x.is_reshape(); };
    while (number && is_under_axes(b.nodes.items[id])) id = b.nodes.items[id].in[0];
    bool const fits = b.nodes.items[id].shape == n.shape || (number && is_number(b.shape_of(id)));
    return fits && is_op(b, id, builtin::mul) ? id : -1;
}
/// The node as a multiply-add `op` of its operand number `product`, where that is a product.
constexpr int fused_with(builder& b, node const& n, builtin is, int product, operation const* real_rules::*op) {
    int const x = n.op->is == is ? product_for(b, n, n.in[product]) : -1;
    if (x < 0) return not_this;
    int const shape = n.shape, fused = emit_fused(b, op, x, n.in[1 - product]);
    return b.nodes.items[fused].shape == shape ? fused : emit_reshape(b, fused, dims(b.shapes.items[shape]));
}
struct product_plus {
    static constexpr simplification row{"product plus", "x * y + z", "fma(x, y, z)", exactness::reassociates};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return fused_with(b, n, builtin::add, 0, &real_rules::fma);
    }
};
struct plus_product {
    static constexpr simplification row{"plus product", "z + x * y", "fma(x, y, z)", exactness::reassociates};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return fused_with(b, n, builtin::add, 1, &real_rules::fma);
    }
};
struct minus_product {
    static constexpr simplification row{"minus product", "z - x * y", "fma(-x, y, z)", exactness::reassociates};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return fused_with(b, n, builtin::sub, 1, &real_rules::fnma);
    }
};
struct product_minus {
    static constexpr simplification row{"product minus", "x * y - z", "fma(x, y, -z)", exactness::reassociates};
    template <class>
    static constexpr int of(builder& b, node const& n) {
        return fused_with(b, n, builtin::sub, 0, &real_rules::fms);
    }
};
using multiply_adds = simplifications<product_plus, plus_product, minus_product, product_minus>;

/// The node as a multiply-add, where it is one of full shape; otherwise -1.
constexpr int fuse_multiply_add(builder& b, node const& n) {
    if ((n.op->is != builtin::add && n.op->is != builtin::sub) || !is_floating(n.type)) return -1;
    return multiply_adds::first<void>(b, n);
}

}  // namespace tapeless::detail::ops_part
