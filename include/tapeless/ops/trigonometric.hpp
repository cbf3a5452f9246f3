// SPDX-License-Identifier: MIT
#pragma once
// Trigonometric and hyperbolic functions.

#include <tapeless/ops/arithmetic.hpp>

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

/// tanh x. The rule needs only the result: 1 - y^2.
struct tanh_op : elementwise<"tanh"> {
    static constexpr int cost = 20;
    static auto eval(auto x) { return simd::tanh(x); }
    static constexpr auto pullback(auto g, auto y, auto) { return cotangents(g * (1.0 - square(y))); }
};

/// sin x
template <expression A>
constexpr detail::applied<sin_op, A> sin(A const& a) {
    return apply<sin_op>(a);
}
/// cos x
template <expression A>
constexpr detail::applied<cos_op, A> cos(A const& a) {
    return apply<cos_op>(a);
}
/// tanh x
template <expression A>
constexpr detail::applied<tanh_op, A> tanh(A const& a) {
    return apply<tanh_op>(a);
}

}  // namespace tapeless
