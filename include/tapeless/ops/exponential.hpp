// SPDX-License-Identifier: MIT
#pragma once
// Exponentials, logarithms, roots and powers.

#include <tapeless/ops/compare.hpp>
#include <tapeless/ops/layout.hpp>

namespace tapeless {

/// e^x. The rule needs only the result.
struct exp_op : elementwise<"exp"> {
    static constexpr int cost = 16;
    static auto eval(auto x) { return simd::exp(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(g * y); }
};

/// ln x; derivative exactly 1/x.
struct log_op : elementwise<"log"> {
    static constexpr int cost = 20;
    static auto eval(auto x) { return simd::log(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / x); }
};

/// Square root; derivative 1/(2 sqrt x), infinite at 0.
struct sqrt_op : elementwise<"sqrt"> {
    static constexpr int cost = 10;
    static auto eval(auto x) { return simd::sqrt(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(0.5 * g / y); }
};

namespace detail {
/// x^n for a whole n >= 1, by squaring.
template <class T>
constexpr int emit_power(builder& b, int x, int n) {
    if (n == 1) return x;
    int half = emit_power<T>(b, x, n / 2), even = emit_binary<mul_op, T>(b, half, half);
    return n % 2 ? emit_binary<mul_op, T>(b, even, x) : even;
}
}  // namespace detail

/// x^n for a number n: derivative n x^(n-1), and 0 everywhere when n = 0. Small whole n become products.
struct pow_number_op : elementwise<"pow"> {
    static constexpr bool has_number = true;
    static constexpr int cost = 60;
    static auto eval(auto x, double n) { return simd::pow(x, decltype(x)(static_cast<typename decltype(x)::value_type>(n))); }
    static constexpr auto pullback(auto g, auto, auto x, double n) { return cotangents(n * (g * pow(x, n - 1.0))); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        double p = n.attr.number;
        int x = n.in[0];
        if (p == 1) return x;
        if (p == 0) return detail::emit_expand(b, detail::emit_constant<T>(b, 1), b.shape_of(x));
        if (p == 0.5) return detail::emit_unary<sqrt_op, T>(b, x);
        if (p < 0 && p >= -4 && p == static_cast<int>(p)) {
            int power = detail::emit_power<T>(b, x, -static_cast<int>(p));
            return detail::emit_binary<div_op, T>(b, detail::emit_constant<T>(b, 1), power);
        }
        if (p > 1 && p <= 8 && p == static_cast<int>(p)) return detail::emit_power<T>(b, x, static_cast<int>(p));
        return -1;
    }
};

/// e^x
template <expression A>
constexpr detail::applied<exp_op, A> exp(A const& a) {
    return apply<exp_op>(a);
}
/// ln x
template <expression A>
constexpr detail::applied<log_op, A> log(A const& a) {
    return apply<log_op>(a);
}
/// Square root
template <expression A>
constexpr detail::applied<sqrt_op, A> sqrt(A const& a) {
    return apply<sqrt_op>(a);
}
/// x^n for a number n
template <expression A, number N>
constexpr detail::applied<pow_number_op, A> pow(A const& a, N n) {
    return apply_with<pow_number_op>(detail::attribute{.number = static_cast<double>(n)}, a);
}

}  // namespace tapeless
