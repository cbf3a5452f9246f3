// SPDX-License-Identifier: MIT
#pragma once
// The logarithm of the normal distribution function, its derivative, and logarithms of probabilities.

#include <tapeless/simd/error_function.hpp>
#include <tapeless/simd/inverse_hyperbolic.hpp>
#include <tapeless/simd/through_double.hpp>

namespace tapeless::simd {

namespace detail {

// e^(a^2) erfc(a) for a >= 0.84; from 27 on 1/(a sqrt(pi)) (1 - r (1 - 3 r (1 - 5 r (...)))) with r = 1/(2 a^2)
template <class T>
[[gnu::always_inline]] inline vec<T> scaled_erfc(vec<T> a) {
    using k = erf_constants<T>;
    vec<T> const near = at_most<T>(a, k::nothing), u = (near - k::pole) / (near + k::pole), r = T(0.5) / (a * a);
    vec<T> const tail = madd<T>(u, polynomial<T>(k::tail, u, u * u), splat<T>(k::tail_0)) / (near + T(0.5));
    vec<T> series = T(1) - T(13) * r;
    for (int odd = 11; odd > 0; odd -= 2) series = T(1) - T(odd) * r * series;
    return a < T(27) ? tail : std::numbers::inv_sqrtpi_v<T> / a * series;
}

struct log_normal_cdf_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> x) {
        auto const far = lanes_where<T>(x < T(-1.2));
        vec<T> const cdf = erfc<T, true>(-magnitude<T>(x));
        vec<T> const near = log1p<T>(x > T(0) ? -cdf : (far ? vec<T>{} : cdf - T(1)));
        if (!any_lane<T>(far)) return near;
        vec<T> const a = far ? x * (-std::numbers::sqrt2_v<T> / 2) : splat<T>(T(1));
        return far ? log<T>(T(0.5) * scaled_erfc<T>(a)) - T(0.5) * x * x : near;
    }
};

// The density divided by the distribution function.
struct normal_hazard_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> x) {
        constexpr T root = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;  // sqrt(2/pi)
        vec<T> const b = at_most<T>(magnitude<T>(x), T(40)), h = upper_half<T>(b);
        vec<T> const density = T(0.5) * root * exp<T>(T(-0.5) * h * h, T(0.5) * (h - b) * (h + b));
        vec<T> const far = root / scaled_erfc<T>(-x * (std::numbers::sqrt2_v<T> / 2));
        return x < T(-1.2) ? far : density / erfc<T, true>(x);
    }
};

// ln(1 - e^x) for x <= 0: next to 0 the difference is accurate as expm1, further down its logarithm as log1p.
struct log1mexp_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> x) {
        auto const near = lanes_where<T>(x > T(-0.6931471805599453));
        return near ? log<T>(near ? -expm1<T>(x) : splat<T>(T(1))) : log1p<T>(near ? vec<T>{} : -exp<T>(x));
    }
};

// ln(p/(1 - p)) = 2 atanh(2p - 1), whose argument is exact next to 1/2
struct logit_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> p) {
        auto const centre = lanes_where<T>(magnitude<T>(p - T(0.5)) < T(0.25));
        vec<T> const x = centre ? (p + p) - T(1) : vec<T>{};
        return centre ? T(2) * atanh<T>(x) : log<T>(centre ? splat<T>(T(1)) : p / (T(1) - p));
    }
};

}  // namespace detail

/// ln normal_cdf(x), also where normal_cdf(x) underflows.
inline constexpr detail::through_double<detail::log_normal_cdf_kernel> log_normal_cdf{};
/// The derivative of log_normal_cdf.
inline constexpr detail::through_double<detail::normal_hazard_kernel> normal_hazard{};
/// ln(1 - e^x) for x <= 0
inline constexpr detail::through_double<detail::log1mexp_kernel> log1mexp{};
/// ln(p / (1 - p))
inline constexpr detail::through_double<detail::logit_kernel> logit{};

}  // namespace tapeless::simd
