// SPDX-License-Identifier: MIT
#pragma once
// Exponentials and logarithms.

#include <numbers>

#include <tapeless/ops/compare.hpp>

namespace tapeless {

/// e^x. The rule needs only the result.
struct exp_op : elementwise<"exp"> {
    static constexpr int cost = 16;
    static auto eval(auto x) { return simd::exp(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(g * y); }
};

/// 2^x. The rule needs only the result.
struct exp2_op : elementwise<"exp2"> {
    static constexpr int cost = 16;
    static auto eval(auto x) { return simd::exp2(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(std::numbers::ln2 * (g * y)); }
};

/// e^x - 1, accurate for small x; derivative y + 1.
struct expm1_op : elementwise<"expm1"> {
    static constexpr int cost = 18;
    static auto eval(auto x) { return simd::expm1(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(g * (y + 1.0)); }
};

/// ln x; derivative exactly 1/x.
struct log_op : elementwise<"log"> {
    static constexpr int cost = 20, side_by_side = 2;
    static auto eval(auto x) { return simd::log(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / x); }
};

/// log2 x; derivative 1/(x ln 2).
struct log2_op : elementwise<"log2"> {
    static constexpr int cost = 20, side_by_side = 2;
    static auto eval(auto x) { return simd::log2(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(std::numbers::log2e * (g / x)); }
};

/// log10 x; derivative 1/(x ln 10).
struct log10_op : elementwise<"log10"> {
    static constexpr int cost = 20, side_by_side = 2;
    static auto eval(auto x) { return simd::log10(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(std::numbers::log10e * (g / x)); }
};

/// ln(1 + x), accurate for small x.
struct log1p_op : elementwise<"log1p"> {
    static constexpr int cost = 24;
    static auto eval(auto x) { return simd::log1p(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g / (x + 1.0)); }
};

/// 1/(1 + e^-x), stable for large |x|. The rule needs only the result: y (1 - y).
struct sigmoid_op : elementwise<"sigmoid"> {
    static constexpr int cost = 20;
    static auto eval(auto x) { return simd::sigmoid(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(g * (y * (1.0 - y))); }
};

/// ln(1 + e^x), stable for large |x|; derivative sigmoid(x).
struct softplus_op : elementwise<"softplus"> {
    static constexpr int cost = 40;
    static auto eval(auto x) { return simd::softplus(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g * sigmoid(x)); }
};

/// ln(e^a + e^b), stable. The shares of the two sides are sigmoid(a - b) and sigmoid(b - a).
struct logaddexp_op : elementwise<"logaddexp"> {
    static constexpr int cost = 40;
    static auto eval(auto a, auto b) { return simd::logaddexp(a, b); }
    static constexpr auto pullback(auto g, auto, auto a, auto b) {
        return cotangents(g * sigmoid(a - b), g * sigmoid(b - a));
    }
};

/// a ln b, and 0 where a = 0 unless b is NaN. At a = 0 and b <= 0 nothing flows to a; at a = b = 0 nothing to b.
struct xlogy_op : elementwise<"xlogy"> {
    static constexpr int cost = 22;
    static auto eval(auto a, auto b) {
        auto const none = simd::both(simd::equal(a, decltype(a)(0)), simd::equal(b, b));
        return simd::select(none, decltype(a)(0), simd::mul(a, simd::log(b)));
    }
    static constexpr auto pullback(auto g, auto, auto a, auto b) {
        return cotangents(where(a != 0.0 || !(b <= 0.0), g * log(b), 0.0),
                          where(a != 0.0 || b != 0.0, g * (a / b), 0.0));
    }
};

/// e^x
template <any_expression A>
constexpr detail::applied<exp_op, A> exp(A const& a) {
    return apply<exp_op>(a);
}
/// 2^x
template <any_expression A>
constexpr detail::applied<exp2_op, A> exp2(A const& a) {
    return apply<exp2_op>(a);
}
/// e^x - 1, accurate for small x
template <any_expression A>
constexpr detail::applied<expm1_op, A> expm1(A const& a) {
    return apply<expm1_op>(a);
}
/// ln x
template <any_expression A>
constexpr detail::applied<log_op, A> log(A const& a) {
    return apply<log_op>(a);
}
/// log2 x
template <any_expression A>
constexpr detail::applied<log2_op, A> log2(A const& a) {
    return apply<log2_op>(a);
}
/// log10 x
template <any_expression A>
constexpr detail::applied<log10_op, A> log10(A const& a) {
    return apply<log10_op>(a);
}
/// ln(1 + x), accurate for small x
template <any_expression A>
constexpr detail::applied<log1p_op, A> log1p(A const& a) {
    return apply<log1p_op>(a);
}
/// 1/(1 + e^-x)
template <any_expression A>
constexpr detail::applied<sigmoid_op, A> sigmoid(A const& a) {
    return apply<sigmoid_op>(a);
}
/// ln(e^a + e^b)
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<logaddexp_op, A, B> logaddexp(A const& a, B const& b) {
    return apply<logaddexp_op>(a, b);
}
/// a ln b; 0 where a = 0
template <operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr detail::applied<xlogy_op, A, B> xlogy(A const& a, B const& b) {
    return apply<xlogy_op>(a, b);
}

}  // namespace tapeless
