// SPDX-License-Identifier: MIT
#pragma once
// Logarithms of densities of real numbers. Arguments are arrays or numbers that broadcast; the result is the sum over
// all elements, as in Stan, whose names and parameters these are. z is (y - mu)/sigma.

#include <tapeless/functional/density/terms.hpp>
#include <tapeless/ops/bessel.hpp>
#include <tapeless/ops/gamma.hpp>
#include <tapeless/ops/normal.hpp>
#include <tapeless/ops/power.hpp>
#include <tapeless/ops/trigonometric.hpp>

namespace tapeless {

namespace detail::inline functional_part {
/// sum(f(z) - ln sigma - c), f a function of z = (y - mu)/sigma
template <density::terms K, class T, class Y, class Mu, class Sigma, class F>
constexpr auto location_scale(Y const& y, Mu const& mu, Sigma const& sigma, double c, F f) {
    auto const s = named_as<T>(sigma);
    auto const z = (named_as<T>(y) - named_as<T>(mu)) / s;
    return sum(with_term<K, Sigma>(f(z) - constant_term<K>(c), -log(s)));
}
}  // namespace detail::functional_part

namespace density {

/// -z^2/2 - ln sigma - ln(2 pi)/2
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, detail::any_term Sigma>
constexpr auto normal_lpdf(Y const& y, Mu const& mu, Sigma const& sigma) {
    using T = detail::arguments_of<"normal_lpdf", Y, Mu, Sigma>;
    return detail::location_scale<K, T>(y, mu, sigma, detail::half_log_2pi, [](auto z) { return -0.5 * square(z); });
}
/// -y^2/2 - ln(2 pi)/2
template <terms K = terms::all, expression Y>
constexpr auto std_normal_lpdf(Y const& y) {
    return sum(-0.5 * square(let(y)) - detail::constant_term<K>(detail::half_log_2pi));
}
/// -ln(1 + z^2) - ln sigma - ln pi
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, detail::any_term Sigma>
constexpr auto cauchy_lpdf(Y const& y, Mu const& mu, Sigma const& sigma) {
    using T = detail::arguments_of<"cauchy_lpdf", Y, Mu, Sigma>;
    return detail::location_scale<K, T>(y, mu, sigma, detail::log_pi, [](auto z) { return -log1p(square(z)); });
}
/// -|z| - ln sigma - ln 2, the Laplace distribution
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, detail::any_term Sigma>
constexpr auto double_exponential_lpdf(Y const& y, Mu const& mu, Sigma const& sigma) {
    using T = detail::arguments_of<"double_exponential_lpdf", Y, Mu, Sigma>;
    return detail::location_scale<K, T>(y, mu, sigma, detail::log_2, [](auto z) { return -abs(z); });
}
/// -z - 2 ln(1 + e^-z) - ln sigma
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, detail::any_term Sigma>
constexpr auto logistic_lpdf(Y const& y, Mu const& mu, Sigma const& sigma) {
    using T = detail::arguments_of<"logistic_lpdf", Y, Mu, Sigma>;
    return detail::location_scale<K, T>(y, mu, sigma, 0.0, [](auto z) { return -z - 2.0 * log1pexp(-z); });
}
/// -(nu + 1)/2 ln(1 + z^2/nu) - ln B(1/2, nu/2) - ln(nu)/2 - ln sigma
template <terms K = terms::all, detail::any_term Y, detail::any_term Nu, detail::any_term Mu, detail::any_term Sigma>
constexpr auto student_t_lpdf(Y const& y, Nu const& nu, Mu const& mu, Sigma const& sigma) {
    using T = detail::arguments_of<"student_t_lpdf", Y, Nu, Mu, Sigma>;
    auto const n = detail::named_as<T>(nu);
    auto const s = detail::named_as<T>(sigma);
    auto const z = (detail::named_as<T>(y) - detail::named_as<T>(mu)) / s;
    auto const each = -0.5 * (n + 1.0) * log1p(square(z) / n);
    return sum(
        detail::with_term<K, Nu>(detail::with_term<K, Sigma>(each, -log(s)), -0.5 * log(n) - log_beta(0.5 * n, 0.5)));
}
/// -z^2/2 + ln normal_cdf(alpha z) - ln sigma + ln 2 - ln(2 pi)/2
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, detail::any_term Sigma, detail::any_term Alpha>
constexpr auto skew_normal_lpdf(Y const& y, Mu const& mu, Sigma const& sigma, Alpha const& alpha) {
    using T = detail::arguments_of<"skew_normal_lpdf", Y, Mu, Sigma, Alpha>;
    return detail::location_scale<K, T>(y, mu, sigma, detail::half_log_2pi - detail::log_2, [&](auto z) {
        return log_normal_cdf(detail::named_as<T>(alpha) * z) - 0.5 * square(z);
    });
}
/// kappa cos(y - mu) - ln(2 pi I_0(kappa)); cos d - 1 is taken as -2 sin^2(d/2), so that kappa may be large
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, detail::any_term Kappa>
constexpr auto von_mises_lpdf(Y const& y, Mu const& mu, Kappa const& kappa) {
    using T = detail::arguments_of<"von_mises_lpdf", Y, Mu, Kappa>;
    auto const k = detail::named_as<T>(kappa);
    auto const h = 0.5 * (detail::named_as<T>(y) - detail::named_as<T>(mu));
    auto const each = -2.0 * k * square(sin(h)) - detail::constant_term<K>(2.0 * detail::half_log_2pi);
    return sum(detail::with_term<K, Kappa>(each, -log(i0e(k))));
}
/// -ln(b - a) for a <= y <= b, else -inf
template <terms K = terms::all, detail::any_term Y, detail::any_term A, detail::any_term B>
constexpr auto uniform_lpdf(Y const& y, A const& a, B const& b) {
    using T = detail::arguments_of<"uniform_lpdf", Y, A, B>;
    auto const v = detail::named_as<T>(y);
    auto const lo = detail::named_as<T>(a);
    auto const hi = detail::named_as<T>(b);
    return sum(where(v < lo || v > hi, detail::minus_infinity, detail::with_term<K, A, B>(0.0 * v, -log(hi - lo))));
}

}  // namespace density
}  // namespace tapeless
