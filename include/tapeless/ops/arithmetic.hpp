// SPDX-License-Identifier: MIT
#pragma once
// Arithmetic: + - * / unary minus, square, abs, maximum, minimum, and the multiply-adds that loops are made of.

#include <tapeless/ops/operation.hpp>

namespace tapeless {
namespace detail {

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
/// A constant made from others; -1 where it would not be exact.
template <class T>
constexpr int emit_folded(builder& b, double v) {
    if constexpr (std::integral<T>)
        if (!is_exact<T>(v)) return -1;
    return emit_constant<T>(b, v);
}
constexpr bool is_op(builder const& b, int id, builtin op) {
    return b.nodes.items[id].has_op() && b.nodes.items[id].op->is == op;
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
    bool const number = n.has_op() && n.op->same_value && n.attr.number == 0 && b.is_constant(n.in[0]);
    return number && n.shape == b.nodes.items[beside].shape ? n.in[0] : x;
}
/// A number of moderate size: a literal, an extent, or a product or quotient of such.
constexpr bool is_benign(builder const& b, int id) {
    node const& n = b.nodes.items[id];
    if (n.kind == node_kind::constant) return n.attr.number < 1e6 && n.attr.number > -1e6;
    if (n.kind == node_kind::extent) return true;
    if (is_op(b, id, builtin::mul) || is_op(b, id, builtin::div)) return is_benign(b, n.in[0]) && is_benign(b, n.in[1]);
    return is_op(b, id, builtin::neg) && is_benign(b, n.in[0]);
}
/// where(m, a, 0): a cotangent that is zero outside a mask.
constexpr bool is_masked(builder const& b, int id) {
    return is_op(b, id, detail::builtin::where) && b.is_constant(b.nodes.items[id].in[2], 0);
}
template <class T>
constexpr int emit_masked(builder& b, int mask, int x);

/// a / b of integers, 0 where b = 0. No lane divides by 0 or -1, which may trap, so that it does not matter either what the
/// lanes beyond the end of an array hold.
template <class B>
auto whole_quotient(B a, B b) {
    auto const zero = simd::equal(b, B(0)), minus_one = simd::equal(b, B(-1));
    B const q = simd::div(a, simd::select(simd::either(zero, minus_one), B(1), b));
    return simd::select(zero, B(0), simd::select(minus_one, simd::neg(a), q));
}
}  // namespace detail

/// -x
struct neg_op : elementwise<"neg"> {
    static constexpr int cost = 1;
    static auto eval(auto x) { return simd::neg(x); }
    static constexpr auto pullback(auto g, auto, auto);
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        if (b.is_constant(n.in[0])) return detail::emit_constant<T>(b, -b.nodes.items[n.in[0]].attr.number);
        if (detail::is_op(b, n.in[0], detail::builtin::neg)) return b.nodes.items[n.in[0]].in[0];
        return -1;
    }
};

/// a + b
struct add_op : elementwise<"add"> {
    static constexpr int cost = 1;
    static auto eval(auto a, auto b) { return simd::add(a, b); }
    static constexpr auto pullback(auto g, auto, auto, auto) { return cotangents(g, g); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n);
};

/// a - b
struct sub_op : elementwise<"sub"> {
    static constexpr int cost = 1;
    static auto eval(auto a, auto b) { return simd::sub(a, b); }
    static constexpr auto pullback(auto g, auto, auto, auto) { return cotangents(g, -g); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n);
};

/// a * b
struct mul_op : elementwise<"mul"> {
    static constexpr int cost = 1;
    static auto eval(auto a, auto b) { return simd::mul(a, b); }
    static constexpr auto pullback(auto g, auto, auto a, auto b) { return cotangents(g * b, g * a); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n);
};

/// x * x; in the graph it is that product, so that it is shared and fused like one.
struct square_op : elementwise<"square"> {
    static auto eval(auto x) { return simd::mul(x, x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(2.0 * (g * x)); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        return detail::emit_binary<mul_op, T>(b, n.in[0], n.in[0]);
    }
};

/// a / b. d/db = -(a/b)/b needs the quotient, not a square. Of integers: towards 0, and 0 where b = 0.
struct div_op : elementwise<"div"> {
    static constexpr int cost = 8;
    static auto eval(auto a, auto b) {
        if constexpr (std::floating_point<typename decltype(a)::value_type>) return simd::div(a, b);
        else return detail::whole_quotient(a, b);
    }
    static constexpr auto pullback(auto g, auto y, auto, auto b) { return cotangents(g / b, -(g / b) * y); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n);
};

namespace detail {
template <>
inline constexpr builtin builtin_of<neg_op> = builtin::neg;
template <>
inline constexpr builtin builtin_of<add_op> = builtin::add;
template <>
inline constexpr builtin builtin_of<sub_op> = builtin::sub;
template <>
inline constexpr builtin builtin_of<mul_op> = builtin::mul;
template <>
inline constexpr builtin builtin_of<div_op> = builtin::div;
}  // namespace detail

/// |x|; derivative 0 at 0.
struct abs_op : elementwise<"abs"> {
    static constexpr int cost = 1;
    static auto eval(auto x) { return simd::abs(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g * sign(x)); }
};

/// -1, 0 or 1; NaN stays; derivative 0.
struct sign_op : elementwise<"sign"> {
    static auto eval(auto x) {
        using B = decltype(x);
        return simd::select(simd::less(B(0), x), B(1), simd::select(simd::less(x, B(0)), B(-1), x));
    }
    static constexpr auto pullback(auto, auto, auto) { return cotangents(no_cotangent{}); }
};

/// The larger one; where a == b each side gets half of the cotangent. NaN in either comes through.
struct maximum_op : elementwise<"maximum"> {
    static constexpr int cost = 3;
    static auto eval(auto a, auto b) { return simd::maximum(a, b); }
    static constexpr auto pullback(auto g, auto, auto a, auto b) {
        return cotangents(where(a > b, g, where(a == b, 0.5 * g, 0.0)), where(b > a, g, where(a == b, 0.5 * g, 0.0)));
    }
};

/// The smaller one; ties as in maximum.
struct minimum_op : elementwise<"minimum"> {
    static constexpr int cost = 3;
    static auto eval(auto a, auto b) { return simd::minimum(a, b); }
    static constexpr auto pullback(auto g, auto, auto a, auto b) {
        return cotangents(where(a < b, g, where(a == b, 0.5 * g, 0.0)), where(b < a, g, where(a == b, 0.5 * g, 0.0)));
    }
};

/// An operand of an operator: an expression, or a number beside one.
template <class E>
concept operand_like = expression<E> || number<E>;

template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<add_op, A, B> operator+(A const& a, B const& b) {
    return apply<add_op>(a, b);
}
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<sub_op, A, B> operator-(A const& a, B const& b) {
    return apply<sub_op>(a, b);
}
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<mul_op, A, B> operator*(A const& a, B const& b) {
    return apply<mul_op>(a, b);
}
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<div_op, A, B> operator/(A const& a, B const& b) {
    return apply<div_op>(a, b);
}
template <expression A>
constexpr detail::applied<neg_op, A> operator-(A const& a) {
    return apply<neg_op>(a);
}
template <expression A>
constexpr A operator+(A const& a) {
    return a;
}

/// x * x
template <any_expression A>
constexpr detail::applied<square_op, A> square(A const& a) {
    return apply<square_op>(a);
}
/// |x|
template <any_expression A>
constexpr detail::applied<abs_op, A> abs(A const& a) {
    return apply<abs_op>(a);
}
/// -1, 0 or 1
template <any_expression A>
constexpr detail::applied<sign_op, A> sign(A const& a) {
    return apply<sign_op>(a);
}
/// max(a, b), element by element
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<maximum_op, A, B> maximum(A const& a, B const& b) {
    return apply<maximum_op>(a, b);
}
/// min(a, b), element by element
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<minimum_op, A, B> minimum(A const& a, B const& b) {
    return apply<minimum_op>(a, b);
}

constexpr auto neg_op::pullback(auto g, auto, auto) { return cotangents(-g); }

template <class T>
constexpr int add_op::simplify(detail::builder& b, detail::node const& n) {
    int x = n.in[0], y = n.in[1];
    detail::constant_first(b, x, y);
    if (b.is_constant(x)) {
        if (b.is_constant(y)) return detail::emit_folded<T>(b, b.nodes.items[x].attr.number + b.nodes.items[y].attr.number);
        if (b.is_constant(x, 0)) return y;
    }
    if (detail::is_op(b, y, detail::builtin::neg)) return detail::emit_binary<sub_op, T>(b, x, b.nodes.items[y].in[0]);
    if (detail::is_op(b, x, detail::builtin::neg)) return detail::emit_binary<sub_op, T>(b, y, b.nodes.items[x].in[0]);
    if (x == y) return detail::emit_binary<mul_op, T>(b, detail::emit_constant<T>(b, 2), x);
    if (detail::is_masked(b, x) && detail::is_masked(b, y) && b.nodes.items[x].in[0] == b.nodes.items[y].in[0])
        return detail::emit_masked<T>(b, b.nodes.items[x].in[0], detail::emit_binary<add_op, T>(b, b.nodes.items[x].in[1], b.nodes.items[y].in[1]));
    return -1;
}

template <class T>
constexpr int sub_op::simplify(detail::builder& b, detail::node const& n) {
    int x = n.in[0], y = n.in[1];
    if (b.is_constant(x) && b.is_constant(y))
        return detail::emit_folded<T>(b, b.nodes.items[x].attr.number - b.nodes.items[y].attr.number);
    if (b.is_constant(y, 0)) return x;
    if (b.is_constant(x, 0)) return detail::emit_unary<neg_op, T>(b, y);
    if (detail::is_op(b, y, detail::builtin::neg)) return detail::emit_binary<add_op, T>(b, x, b.nodes.items[y].in[0]);
    return -1;
}

namespace detail {
/// In float a product may leave the range that another grouping keeps to, so only numbers of moderate size change places.
template <class T>
constexpr bool may_move(builder const& b, int id) {
    return std::same_as<T, double> || is_benign(b, id);
}
/// t * (s * array) is (t * s) * array: numbers meet outside the loop.
template <class T>
constexpr int regroup_product(builder& b, int x, int y) {
    if (b.is_scalar(x) == b.is_scalar(y)) return -1;
    int const t = b.is_scalar(x) ? x : y, product = t == x ? y : x;
    int const s = b.nodes.items[product].in[0], array = b.nodes.items[product].in[1];
    if (!is_op(b, product, builtin::mul) || !b.is_scalar(s) || !may_move<T>(b, s)) return -1;
    return emit_binary<mul_op, T>(b, emit_binary<mul_op, T>(b, t, s), array);
}
}  // namespace detail

template <class T>
constexpr int mul_op::simplify(detail::builder& b, detail::node const& n) {
    int x = detail::unstretched(b, n.in[0], n.in[1]), y = detail::unstretched(b, n.in[1], x);
    detail::constant_first(b, x, y);
    if (b.is_constant(x)) {
        double c = b.nodes.items[x].attr.number;
        if (b.is_constant(y)) return detail::emit_folded<T>(b, c * b.nodes.items[y].attr.number);
        if (c == 1) return y;
        if (c == -1) return detail::emit_unary<neg_op, T>(b, y);
        if (detail::is_op(b, y, detail::builtin::neg))
            return detail::emit_binary<mul_op, T>(b, detail::emit_constant<T>(b, -c), b.nodes.items[y].in[0]);
        if (detail::is_op(b, y, detail::builtin::mul) && b.is_constant(b.nodes.items[y].in[0])) {
            int const both = detail::emit_folded<T>(b, c * b.nodes.items[b.nodes.items[y].in[0]].attr.number);
            if (both >= 0) return detail::emit_binary<mul_op, T>(b, both, b.nodes.items[y].in[1]);
        }
    }
    if (detail::is_op(b, x, detail::builtin::neg))
        return detail::emit_unary<neg_op, T>(b, detail::emit_binary<mul_op, T>(b, b.nodes.items[x].in[0], y));
    if (detail::is_op(b, y, detail::builtin::neg))
        return detail::emit_unary<neg_op, T>(b, detail::emit_binary<mul_op, T>(b, x, b.nodes.items[y].in[0]));
    bool const array_x = !b.is_scalar(x), array_y = !b.is_scalar(y);
    if (detail::is_op(b, x, detail::builtin::mul) || detail::is_op(b, y, detail::builtin::mul)) {
        int const regrouped = detail::regroup_product<T>(b, x, y);
        if (regrouped >= 0) return regrouped;
    }
    // one order for one product
    bool const ordered = array_x != array_y ? array_y : b.is_constant(x) || x <= y;
    if (n.in[0] != x || !ordered) {
        detail::node m = n;
        m.in[0] = ordered ? x : y;
        m.in[1] = m.in[0] == x ? y : x;
        m.op = &detail::operation_table<mul_op, T, T>::value;
        m.kind = detail::node_kind::elementwise;
        m.type = m.op->out;
        m.shape = b.broadcast_shapes(b.nodes.items[x].shape, b.nodes.items[y].shape);
        return b.push(m);
    }
    return -1;
}

template <class T>
constexpr int div_op::simplify(detail::builder& b, detail::node const& n) {
    int x = n.in[0], y = n.in[1];
    if (!std::floating_point<T>) return -1;
    if (b.is_constant(y) && !b.is_constant(y, 0)) {
        if (b.is_constant(x))
            return detail::emit_constant<T>(b, b.nodes.items[x].attr.number / b.nodes.items[y].attr.number);
        return detail::emit_binary<mul_op, T>(b, detail::emit_constant<T>(b, 1 / b.nodes.items[y].attr.number), x);
    }
    if (detail::is_op(b, x, detail::builtin::neg))
        return detail::emit_unary<neg_op, T>(b, detail::emit_binary<div_op, T>(b, b.nodes.items[x].in[0], y));
    // fewer divisors than quotients: one reciprocal each
    if (b.nodes.items[x].shape == b.nodes.items[y].shape) return -1;
    detail::dims const &sx = b.shape_of(x), &sy = b.shape_of(y);
    bool fewer = false;
    for (int k = 0; k < sx.rank; ++k) fewer = fewer || (sx.from_right(k) != 1 && sy.from_right(k) == 1);
    if (fewer)
        return detail::emit_binary<mul_op, T>(b, x, detail::emit_binary<div_op, T>(b, detail::emit_constant<T>(b, 1), y));
    return -1;
}

}  // namespace tapeless
