// SPDX-License-Identifier: MIT
#pragma once
// Logarithms of densities of positive numbers and of probabilities; -inf outside. Arguments broadcast, the result is
// the sum.

#include <tapeless/functional/density/real.hpp>

namespace tapeless {

namespace detail::inline functional_part {
/// The sum where the outcome may be what it is, -inf elsewhere; NaN stays.
template <class Mask, class E>
constexpr auto sum_unless(Mask const& outside, E const& each) {
    return sum(where(outside, minus_infinity, each));
}
/// sum(f(z) - ln sigma - c) for z = y/sigma, -inf where y < 0
template <density::terms K, class T, class Y, class Sigma, class F>
constexpr auto half_of(Y const& y, Sigma const& sigma, double c, F f) {
    auto const v = named_as<T>(y);
    auto const s = named_as<T>(sigma);
    return sum_unless(v < 0.0, with_term<K, Sigma>(f(v / s) - constant_term<K>(c), -log(s)));
}
}  // namespace detail::functional_part

namespace density {

/// ln beta - beta y; beta is the rate
template <terms K = terms::all, detail::any_term Y, detail::any_term Beta>
constexpr auto exponential_lpdf(Y const& y, Beta const& beta) {
    using T = detail::arguments_of<"exponential_lpdf", Y, Beta>;
    auto const v = detail::named_as<T>(y);
    auto const b = detail::named_as<T>(beta);
    return detail::sum_unless(v < 0.0, detail::with_term<K, Beta>(-b * v, log(b)));
}
/// (alpha - 1) ln y - beta y + alpha ln beta - ln gamma(alpha); beta is the rate
template <terms K = terms::all, detail::any_term Y, detail::any_term Alpha, detail::any_term Beta>
constexpr auto gamma_lpdf(Y const& y, Alpha const& alpha, Beta const& beta) {
    using T = detail::arguments_of<"gamma_lpdf", Y, Alpha, Beta>;
    auto const v = detail::named_as<T>(y);
    auto const a = detail::named_as<T>(alpha);
    auto const b = detail::named_as<T>(beta);
    auto const each = xlogy(a - 1.0, v) - b * v;
    auto const with_rate = detail::with_term<K, Alpha, Beta>(each, a * log(b));
    return detail::sum_unless(v < 0.0, detail::with_term<K, Alpha>(with_rate, -lgamma(a)));
}
/// -(alpha + 1) ln y - beta/y + alpha ln beta - ln gamma(alpha)
template <terms K = terms::all, detail::any_term Y, detail::any_term Alpha, detail::any_term Beta>
constexpr auto inv_gamma_lpdf(Y const& y, Alpha const& alpha, Beta const& beta) {
    using T = detail::arguments_of<"inv_gamma_lpdf", Y, Alpha, Beta>;
    auto const v = detail::named_as<T>(y);
    auto const a = detail::named_as<T>(alpha);
    auto const b = detail::named_as<T>(beta);
    auto const each = -(a + 1.0) * log(v) - b / v;
    auto const with_scale = detail::with_term<K, Alpha, Beta>(each, a * log(b));
    return detail::sum_unless(v <= 0.0, detail::with_term<K, Alpha>(with_scale, -lgamma(a)));
}
/// -((ln y - mu)/sigma)^2/2 - ln y - ln sigma - ln(2 pi)/2
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, detail::any_term Sigma>
constexpr auto lognormal_lpdf(Y const& y, Mu const& mu, Sigma const& sigma) {
    using T = detail::arguments_of<"lognormal_lpdf", Y, Mu, Sigma>;
    auto const v = detail::named_as<T>(y);
    auto const s = detail::named_as<T>(sigma);
    auto const z = (log(v) - detail::named_as<T>(mu)) / s;
    auto const each = -0.5 * square(z) - log(v) - detail::constant_term<K>(detail::half_log_2pi);
    return detail::sum_unless(v <= 0.0, detail::with_term<K, Sigma>(each, -log(s)));
}
/// (alpha - 1) ln z - z^alpha + ln alpha - ln sigma for z = y/sigma
template <terms K = terms::all, detail::any_term Y, detail::any_term Alpha, detail::any_term Sigma>
constexpr auto weibull_lpdf(Y const& y, Alpha const& alpha, Sigma const& sigma) {
    using T = detail::arguments_of<"weibull_lpdf", Y, Alpha, Sigma>;
    auto const v = detail::named_as<T>(y);
    auto const a = detail::named_as<T>(alpha);
    auto const s = detail::named_as<T>(sigma);
    auto const z = v / s;
    auto const each = xlogy(a - 1.0, z) - pow(z, a);
    return detail::sum_unless(v < 0.0, detail::with_term<K, Alpha>(detail::with_term<K, Sigma>(each, -log(s)), log(a)));
}
/// -z^2/2 - ln sigma + ln(2/pi)/2 for z = y/sigma: twice the normal density, for y >= 0
template <terms K = terms::all, detail::any_term Y, detail::any_term Sigma>
constexpr auto half_normal_lpdf(Y const& y, Sigma const& sigma) {
    using T = detail::arguments_of<"half_normal_lpdf", Y, Sigma>;
    return detail::half_of<K, T>(y, sigma, detail::half_log_2pi - detail::log_2,
                                 [](auto z) { return -0.5 * square(z); });
}
/// -ln(1 + z^2) - ln sigma + ln(2/pi) for z = y/sigma
template <terms K = terms::all, detail::any_term Y, detail::any_term Sigma>
constexpr auto half_cauchy_lpdf(Y const& y, Sigma const& sigma) {
    using T = detail::arguments_of<"half_cauchy_lpdf", Y, Sigma>;
    return detail::half_of<K, T>(y, sigma, detail::log_pi - detail::log_2, [](auto z) { return -log1p(square(z)); });
}
/// -(nu + 1)/2 ln(1 + z^2/nu) - ln B(1/2, nu/2) - ln(nu)/2 - ln sigma + ln 2 for z = y/sigma
template <terms K = terms::all, detail::any_term Y, detail::any_term Nu, detail::any_term Sigma>
constexpr auto half_student_t_lpdf(Y const& y, Nu const& nu, Sigma const& sigma) {
    using T = detail::arguments_of<"half_student_t_lpdf", Y, Nu, Sigma>;
    auto const n = detail::named_as<T>(nu);
    return detail::half_of<K, T>(y, sigma, -detail::log_2, [&](auto z) {
        return detail::with_term<K, Nu>(-0.5 * (n + 1.0) * log1p(square(z) / n),
                                        -0.5 * log(n) - log_beta(0.5 * n, 0.5));
    });
}
/// (alpha - 1) ln y + (beta - 1) ln(1 - y) - ln B(alpha, beta) for 0 <= y <= 1
template <terms K = terms::all, detail::any_term Y, detail::any_term Alpha, detail::any_term Beta>
constexpr auto beta_lpdf(Y const& y, Alpha const& alpha, Beta const& beta) {
    using T = detail::arguments_of<"beta_lpdf", Y, Alpha, Beta>;
    auto const v = detail::named_as<T>(y);
    auto const a = detail::named_as<T>(alpha);
    auto const b = detail::named_as<T>(beta);
    auto const other = where(v == 1.0 && b == 1.0, 0.0, (b - 1.0) * log1p(-v));
    return detail::sum_unless(v < 0.0 || v > 1.0,
                              detail::with_term<K, Alpha, Beta>(xlogy(a - 1.0, v) + other, -log_beta(a, b)));
}

}  // namespace density
}  // namespace tapeless
