// SPDX-License-Identifier: MIT
#pragma once
// Trigonometric functions and their inverses.

#include <tapeless/ops/power.hpp>

namespace tapeless {

/// sin x
struct sin_op : elementwise<"sin"> {
    static constexpr int cost = 20;
    static auto eval(auto x) { return simd::sin(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g * cos(x)); }
};

/// cos x
struct cos_op : elementwise<"cos"> {
    static constexpr int cost = 20;
    static auto eval(auto x) { return simd::cos(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(-(g * sin(x))); }
};

/// tan x. The rule needs only the result: 1 + y^2.
struct tan_op : elementwise<"tan"> {
    static constexpr int cost = 30;
    static auto eval(auto x) { return simd::tan(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(g * (1.0 + square(y))); }
};

/// arc sine; derivative 1/sqrt((1 - x)(1 + x)), whose factors keep their digits near +-1.
struct asin_op : elementwise<"asin"> {
    static constexpr int cost = 24;
    static auto eval(auto x) { return simd::asin(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / sqrt((1.0 - x) * (1.0 + x))); }
};

/// arc cosine
struct acos_op : elementwise<"acos"> {
    static constexpr int cost = 24;
    static auto eval(auto x) { return simd::acos(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(-(g / sqrt((1.0 - x) * (1.0 + x)))); }
};

/// arc tangent; derivative 1/(1 + x^2).
struct atan_op : elementwise<"atan"> {
    static constexpr int cost = 24;
    static auto eval(auto x) { return simd::atan(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / (1.0 + square(x))); }
};

/// The angle of the point (b, a): a is the ordinate. d/da = b/(a^2 + b^2), d/db = -a/(a^2 + b^2).
struct atan2_op : elementwise<"atan2"> {
    static constexpr int cost = 30;
    static auto eval(auto a, auto b) { return simd::atan2(a, b); }
    static constexpr auto pullback(auto g, auto, auto a, auto b) {
        auto const q = g / (square(a) + square(b));
        return cotangents(q * b, -(q * a));
    }
};

/// sin x
template <any_expression A>
constexpr detail::applied<sin_op, A> sin(A const& a) {
    return apply<sin_op>(a);
}
/// cos x
template <any_expression A>
constexpr detail::applied<cos_op, A> cos(A const& a) {
    return apply<cos_op>(a);
}
/// tan x
template <any_expression A>
constexpr detail::applied<tan_op, A> tan(A const& a) {
    return apply<tan_op>(a);
}
/// arc sine
template <any_expression A>
constexpr detail::applied<asin_op, A> asin(A const& a) {
    return apply<asin_op>(a);
}
/// arc cosine
template <any_expression A>
constexpr detail::applied<acos_op, A> acos(A const& a) {
    return apply<acos_op>(a);
}
/// arc tangent
template <any_expression A>
constexpr detail::applied<atan_op, A> atan(A const& a) {
    return apply<atan_op>(a);
}
/// The angle of the point (b, a): a is the ordinate
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<atan2_op, A, B> atan2(A const& a, B const& b) {
    return apply<atan2_op>(a, b);
}

}  // namespace tapeless
