// SPDX-License-Identifier: MIT
#pragma once
// The normal distribution function, its logarithm and its inverse; erfinv and erfcinv; logit, log1mexp, log1pexp.

#include <tapeless/ops/special.hpp>
#include <tapeless/simd/inverse_error_function.hpp>
#include <tapeless/simd/normal.hpp>

namespace tapeless {

namespace detail::inline ops_part {
/// The normal density divided by its distribution function; derivative -y (x + y).
struct normal_hazard_op : elementwise<"normal_hazard"> {
    static constexpr int cost = 80;
    static auto eval(auto x) { return simd::normal_hazard(x); }
    static constexpr auto pullback(auto g, auto y, auto x) { return cotangents(-(g * (y * (x + y)))); }
};
}  // namespace detail::ops_part

/// ln normal_cdf(x).
struct log_normal_cdf_op : elementwise<"log_normal_cdf"> {
    static constexpr int cost = 120;
    static auto eval(auto x) { return simd::log_normal_cdf(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(g * apply<detail::normal_hazard_op>(x)); }
};

/// The x whose normal_cdf is p; derivative sqrt(2 pi) e^(y^2/2).
struct inv_normal_cdf_op : elementwise<"inv_normal_cdf"> {
    static constexpr int cost = 100;
    static auto eval(auto p) { return simd::inv_normal_cdf(p); }
    static constexpr auto pullback(auto g, auto y, auto) {
        return cotangents(std::numbers::sqrt2 / std::numbers::inv_sqrtpi * (g * exp(0.5 * square(y))));
    }
};

/// The x whose erf it is; derivative sqrt(pi)/2 e^(y^2).
struct erfinv_op : elementwise<"erfinv"> {
    static constexpr int cost = 100;
    static auto eval(auto x) { return simd::erfinv(x); }
    static constexpr auto pullback(auto g, auto y, auto) {
        return cotangents(0.5 / std::numbers::inv_sqrtpi * (g * exp(square(y))));
    }
};

/// The x whose erfc it is; derivative -sqrt(pi)/2 e^(y^2).
struct erfcinv_op : elementwise<"erfcinv"> {
    static constexpr int cost = 100;
    static auto eval(auto x) { return simd::erfcinv(x); }
    static constexpr auto pullback(auto g, auto y, auto) {
        return cotangents(-0.5 / std::numbers::inv_sqrtpi * (g * exp(square(y))));
    }
};

/// ln(p/(1 - p)); derivative 1/(p (1 - p)).
struct logit_op : elementwise<"logit"> {
    static constexpr int cost = 60;
    static auto eval(auto p) { return simd::logit(p); }
    static constexpr auto pullback(auto g, auto, auto p) { return cotangents(g / (p * (1.0 - p))); }
};

/// ln(1 - e^x); derivative -1/(e^-x - 1).
struct log1mexp_op : elementwise<"log1mexp"> {
    static constexpr int cost = 60;
    static auto eval(auto x) { return simd::log1mexp(x); }
    static constexpr auto pullback(auto g, auto, auto x) { return cotangents(-(g / expm1(-x))); }
};

/// The standard normal distribution function
template <any_expression A>
constexpr auto normal_cdf(A const& a) {
    return apply<normal_cdf_op>(a);
}
/// ln normal_cdf(x), also where normal_cdf(x) underflows
template <any_expression A>
constexpr auto log_normal_cdf(A const& a) {
    return apply<log_normal_cdf_op>(a);
}
/// The quantiles of the standard normal distribution: infinite at 0 and 1, NaN beyond
template <any_expression A>
constexpr auto inv_normal_cdf(A const& a) {
    return apply<inv_normal_cdf_op>(a);
}
/// The inverse of erf: infinite at -1 and 1, NaN beyond
template <any_expression A>
constexpr auto erfinv(A const& a) {
    return apply<erfinv_op>(a);
}
/// The inverse of erfc: infinite at 0 and 2, NaN beyond
template <any_expression A>
constexpr auto erfcinv(A const& a) {
    return apply<erfcinv_op>(a);
}
/// ln(p/(1 - p)), the inverse of sigmoid
template <any_expression A>
constexpr auto logit(A const& a) {
    return apply<logit_op>(a);
}
/// ln(1 - e^x) for x <= 0
template <any_expression A>
constexpr auto log1mexp(A const& a) {
    return apply<log1mexp_op>(a);
}
/// ln(1 + e^x), as softplus
template <any_expression A>
constexpr auto log1pexp(A const& a) {
    return apply<softplus_op>(a);
}

}  // namespace tapeless
