// SPDX-License-Identifier: MIT
#pragma once
// Smooth activations: softplus, logsigmoid, silu, mish, gelu. What is a product x f(x) is written as one: f(x) is
// then computed once for the value and for the gradient.

#include <numbers>

#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/special.hpp>

namespace tapeless {

/// tanh(ln(1 + e^x)) with a single exponential: n/(n + 2) for n = e^x (e^x + 2), both divided by e^2x where x > 0.
struct tanh_softplus_op : elementwise<"tanh_softplus"> {
    static constexpr int cost = 24;
    static auto eval(auto x) {
        using B = decltype(x);
        auto const e = simd::exp(simd::neg(simd::abs(x)));
        auto const twice = simd::add(e, e), square = simd::mul(e, e);
        auto const positive = simd::less(B(0), x);
        auto const n = simd::add(twice, simd::select(positive, B(1), square));
        return simd::div(n, simd::add(n, simd::select(positive, simd::add(square, square), B(2))));
    }
    static constexpr auto pullback(auto g, auto y, auto x) { return cotangents(g * ((1.0 - square(y)) * sigmoid(x))); }
};

/// ln(1 + e^x)
template <any_expression A>
constexpr detail::applied<softplus_op, A> softplus(A const& a) {
    return apply<softplus_op>(a);
}
/// ln(1 + e^(beta x))/beta
template <expression A, number N>
constexpr auto softplus(A const& a, N beta) {
    return softplus(static_cast<double>(beta) * a) / static_cast<double>(beta);
}
/// ln sigmoid(x) = -softplus(-x)
template <any_expression A>
constexpr auto logsigmoid(A const& a) {
    return -softplus(-a);
}
/// x sigmoid(x)
template <any_expression A>
constexpr auto silu(A const& a) {
    auto const x = let(a);
    return x * sigmoid(x);
}
/// x tanh(softplus(x))
template <any_expression A>
constexpr auto mish(A const& a) {
    auto const x = let(a);
    return x * apply<tanh_softplus_op>(x);
}
/// x (1 + erf(x/sqrt 2))/2, the exact form
template <any_expression A>
constexpr auto gelu(A const& a) {
    auto const x = let(a);
    return x * apply<normal_cdf_op>(x);
}
/// x (1 + tanh(u))/2 = x sigmoid(2u) for u = sqrt(2/pi) (x + 0.044715 x^3)
template <any_expression A>
constexpr auto gelu_tanh(A const& a) {
    constexpr double c = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    auto const x = let(a);
    return x * sigmoid(x * (c + 0.044715 * c * square(x)));
}

}  // namespace tapeless
