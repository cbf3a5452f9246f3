// SPDX-License-Identifier: MIT
#pragma once
// Arithmetic: + - * / unary minus, square, abs, maximum, minimum, and the multiply-adds that loops are made of.

#include <tapeless/ops/simplify/arithmetic.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// a / b of integers, 0 where b = 0. No lane divides by 0 or -1, which may trap, so that it does not matter either
/// what the lanes beyond the end of an array hold.
template <class B>
auto whole_quotient(B a, B b) {
    auto const zero = simd::equal(b, B(0)), minus_one = simd::equal(b, B(-1));
    B const q = simd::div(a, simd::select(simd::either(zero, minus_one), B(1), b));
    return simd::select(zero, B(0), simd::select(minus_one, simd::neg(a), q));
}
}  // namespace detail::ops_part

/// -x
struct neg_op : elementwise<"neg"> {
    static constexpr int cost = 1;
    static auto eval(auto x) { return simd::neg(x); }
    static constexpr auto pullback(auto g, auto, auto);
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        return detail::simplify_neg::first<T>(b, n, n.in[0]);
    }
};

/// a + b
struct add_op : elementwise<"add"> {
    static constexpr int cost = 1;
    static auto eval(auto a, auto b) { return simd::add(a, b); }
    static constexpr auto pullback(auto g, auto, auto, auto) { return cotangents(g, g); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        int x = detail::unstretched(b, n.in[0], n.in[1]), y = detail::unstretched(b, n.in[1], x);
        detail::constant_first(b, x, y);
        return detail::simplify_add::first<T>(b, n, x, y);
    }
};

/// a - b
struct sub_op : elementwise<"sub"> {
    static constexpr int cost = 1;
    static auto eval(auto a, auto b) { return simd::sub(a, b); }
    static constexpr auto pullback(auto g, auto, auto, auto) { return cotangents(g, -g); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        int const x = detail::unstretched(b, n.in[0], n.in[1]), y = detail::unstretched(b, n.in[1], x);
        return detail::simplify_sub::first<T>(b, n, x, y);
    }
};

/// a * b
struct mul_op : elementwise<"mul"> {
    static constexpr int cost = 1;
    static auto eval(auto a, auto b) { return simd::mul(a, b); }
    static constexpr auto pullback(auto g, auto, auto a, auto b) { return cotangents(g * b, g * a); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        int x = detail::unstretched(b, n.in[0], n.in[1]), y = detail::unstretched(b, n.in[1], x);
        detail::constant_first(b, x, y);
        return detail::simplify_mul::first<T>(b, n, x, y);
    }
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
    static constexpr auto pullback(auto g, auto y, auto a, auto b) {
        auto const by_b = g / b;
        return cotangents(by_b, -(a.graph->is_constant(a.id, 1) ? g * y : by_b) * y);  // 1 / b is there already
    }
    template <class T>
    static constexpr int simplify([[maybe_unused]] detail::builder& b, [[maybe_unused]] detail::node const& n) {
        if constexpr (std::floating_point<T>) return detail::simplify_div::first<T>(b, n, n.in[0], n.in[1]);
        else return -1;
    }
};

namespace detail::inline ops_part {
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
}  // namespace detail::ops_part

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

/// An operand of an operator: an expression, or a number or an array of constants beside one.
template <class E>
concept operand_like = expression<E> || number<E> || detail::constant_tensor<E>;

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

}  // namespace tapeless
