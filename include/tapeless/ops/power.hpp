// SPDX-License-Identifier: MIT
#pragma once
// Roots and powers: sqrt, rsqrt, reciprocal, hypot, and pow with numbers and arrays on either side.

#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/movement.hpp>

namespace tapeless {

/// 1/x; derivative -y^2, which needs no second division.
struct reciprocal_op : elementwise<"reciprocal"> {
    static constexpr int cost = 8;
    static auto eval(auto x) { return simd::div(decltype(x)(1), x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(-(g * square(y))); }
};

/// Square root; derivative 1/(2 sqrt x), infinite at 0.
struct sqrt_op : elementwise<"sqrt"> {
    static constexpr int cost = 10;
    static auto eval(auto x) { return simd::sqrt(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(0.5 * g / y); }
};

/// 1/sqrt(x); derivative -y^3/2.
struct rsqrt_op : elementwise<"rsqrt"> {
    static constexpr int cost = 16;
    static auto eval(auto x) { return simd::rsqrt(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(-0.5 * (g * y * square(y))); }
};

/// sqrt(a^2 + b^2) without overflow or underflow on the way; derivatives a/y and b/y, 0 where y = 0.
struct hypot_op : elementwise<"hypot"> {
    static constexpr int cost = 20;
    static auto eval(auto a, auto b) { return simd::hypot(a, b); }
    static constexpr auto pullback(auto g, auto y, auto a, auto b) {
        return cotangents(where(y != 0.0, g * (a / y), 0.0), where(y != 0.0, g * (b / y), 0.0));
    }
};

/// x^n for a number n: derivative n x^(n-1), and 0 everywhere when n = 0. Small whole n become products.
struct pow_number_op : elementwise<"pow"> {
    static constexpr bool has_number = true;
    static constexpr int cost = 60;
    static auto eval(auto x, double n) {
        return simd::pow(x, decltype(x)(static_cast<typename decltype(x)::value_type>(n)));
    }
    static constexpr auto pullback(auto g, auto, auto x, double n) { return cotangents(n * (g * pow(x, n - 1.0))); }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        return detail::simplify_pow::first<T>(b, n, n.in[0], n.attr.exponent());
    }
};

/// c^x for a number c: derivative c^x ln c, and 0 where c = 0 and x >= 0.
struct number_pow_op : elementwise<"number_pow"> {
    static constexpr bool has_number = true;
    static constexpr int cost = 60;
    static auto eval(auto x, double c) {
        return simd::pow(decltype(x)(static_cast<typename decltype(x)::value_type>(c)), x);
    }
    static constexpr auto pullback(auto g, auto y, auto x, double c) {
        auto d = g * y * log(literal<typename decltype(x)::value_type>(c));
        return cotangents(c == 0 ? where(x < 0.0, d, 0.0) : d);
    }
};

/// a^b. d/da = b a^(b-1), and 0 where b = 0; d/db = a^b ln a, and 0 where a = 0 and b >= 0.
struct pow_op : elementwise<"pow"> {
    static constexpr int cost = 60;
    static auto eval(auto a, auto b) { return simd::pow(a, b); }
    static constexpr auto pullback(auto g, auto y, auto a, auto b) {
        return cotangents(where(b != 0.0, g * (b * pow(a, b - 1.0)), 0.0),
                          where(a != 0.0 || b < 0.0, g * (y * log(a)), 0.0));
    }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        return detail::simplify_exponent::first<T>(b, n, n.in[0], n.in[1]);
    }
};

/// Square root
template <any_expression A>
constexpr detail::applied<sqrt_op, A> sqrt(A const& a) {
    return apply<sqrt_op>(a);
}
/// 1/sqrt(x)
template <any_expression A>
constexpr detail::applied<rsqrt_op, A> rsqrt(A const& a) {
    return apply<rsqrt_op>(a);
}
/// 1/x
template <any_expression A>
constexpr detail::applied<reciprocal_op, A> reciprocal(A const& a) {
    return apply<reciprocal_op>(a);
}
/// sqrt(a^2 + b^2)
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<hypot_op, A, B> hypot(A const& a, B const& b) {
    return apply<hypot_op>(a, b);
}
/// x^n for a number n
template <expression A, number N>
constexpr detail::applied<pow_number_op, A> pow(A const& a, N n) {
    return apply_with<pow_number_op>(detail::attribute{.number = static_cast<double>(n)}, a);
}
/// c^x for a number c
template <number N, expression A>
constexpr detail::applied<number_pow_op, A> pow(N c, A const& a) {
    return apply_with<number_pow_op>(detail::attribute{.number = static_cast<double>(c)}, a);
}
/// a^b, element by element
template <expression A, expression B>
constexpr detail::applied<pow_op, A, B> pow(A const& a, B const& b) {
    return apply<pow_op>(a, b);
}

}  // namespace tapeless
