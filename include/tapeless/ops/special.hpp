// SPDX-License-Identifier: MIT
#pragma once
// The error function and its relatives.

#include <numbers>

#include <tapeless/ops/exponential.hpp>

namespace tapeless {

/// 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x.
struct erf_op : elementwise<"erf"> {
    static constexpr int cost = 40;
    static auto eval(auto x) { return simd::erf(x); }
    static constexpr auto pullback(auto g, auto, auto x) {
        return cotangents(2.0 * std::numbers::inv_sqrtpi * (g * exp(-square(x))));
    }
};

/// 1 - erf(x), accurate where that is small.
struct erfc_op : elementwise<"erfc"> {
    static constexpr int cost = 50;
    static auto eval(auto x) { return simd::erfc(x); }
    static constexpr auto pullback(auto g, auto, auto x) {
        return cotangents(-2.0 * std::numbers::inv_sqrtpi * (g * exp(-square(x))));
    }
};

/// The standard normal distribution function: erfc(-x/sqrt 2)/2. Its derivative is the density e^(-x^2/2)/sqrt(2 pi).
struct normal_cdf_op : elementwise<"normal_cdf"> {
    static constexpr int cost = 50;
    static auto eval(auto x) { return simd::normal_cdf(x); }
    static constexpr auto pullback(auto g, auto, auto x) {
        return cotangents(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2 * (g * exp(-0.5 * square(x))));
    }
};

/// The error function
template <any_expression A>
constexpr detail::applied<erf_op, A> erf(A const& a) {
    return apply<erf_op>(a);
}
/// 1 - erf(x)
template <any_expression A>
constexpr detail::applied<erfc_op, A> erfc(A const& a) {
    return apply<erfc_op>(a);
}

}  // namespace tapeless
