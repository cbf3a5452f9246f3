// SPDX-License-Identifier: MIT
#pragma once
// The error and gamma functions of numbers, beside the functions of constant_functions.hpp.

#include <tapeless/base/constant_functions.hpp>

namespace tapeless::detail::constant {

/// erf x = 2/sqrt(pi) e^(-x^2) (x + 2 x^3/3 + 4 x^5/15 + ...), of positive terms only; 0 < x < 3
constexpr double_double error_function(double x) {
    constexpr double_double two_over_sqrt_pi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
    double_double const square = double_double::product(x, x), q = square * 2;
    double_double term = x, total = x;
    for (auto c = inverse_odd.data() + 1; term.hi > total.hi * 0x1p-84; ++c) term = term * q * *c, total = total + term;
    with_power const e = exponential(-square);
    return scaled(total * e.value * two_over_sqrt_pi, e.power);
}
/// erfc x = e^(-x^2) / sqrt(pi) / (x + (1/2)/(x + (2/2)/(x + (3/2)/...))); x >= 3. Numerators and denominators of the
/// convergents follow p' = x p + n/2 p_before.
constexpr with_power complementary_error_function(double x) {
    constexpr double_double one_over_sqrt_pi{0x1.20dd750429b6dp-1, 0x1.1ae3a914fed80p-57};
    double_double p = 1, q = x, p_before = 0, q_before = 1;
    int const terms = static_cast<int>(12 + 270 / (x * x));
    for (int n = 1; n < terms; ++n) {
        double_double const next_p = p * x + p_before * (0.5 * n), next_q = q * x + q_before * (0.5 * n);
        p_before = p, q_before = q, p = next_p, q = next_q;
    }
    with_power const e = exponential(-double_double::product(x, x));
    return {e.value * one_over_sqrt_pi * p / q, e.power};
}

constexpr double erf(double x) {
    double const a = magnitude(x);
    if (is_nan(x)) return x;
    if (tiny(x)) return x + 0x1.06eba8214db69p-3 * x;  // 2/sqrt(pi) x
    if (a > 6) return with_sign(1, x);
    if (a < 3) return with_sign(error_function(a).hi, x);
    with_power const rest = complementary_error_function(a);
    return with_sign((double_double(1) - scaled(rest.value, rest.power)).hi, x);
}
constexpr double erfc(double x) {
    if (is_nan(x)) return x;
    if (tiny(x)) return 1;
    if (x < -6) return 2;
    if (x > 28) return 0;
    if (x >= 3) return complementary_error_function(x).rounded();
    if (x > 0) return (double_double(1) - error_function(x)).hi;
    if (x > -3) return (error_function(-x) + 1).hi;
    with_power const rest = complementary_error_function(-x);
    return (double_double(2) - scaled(rest.value, rest.power)).hi;
}

// Gamma: ln(gamma(z)) = (z - 1/2) ln z - z + ln(2 pi)/2 + sum of b_2k / (2k (2k - 1) z^(2k - 1)), z >= 20; below, by
// gamma(z) = gamma(z + n) / (z (z + 1) ... (z + n - 1)).

inline constexpr auto stirling_coefficients = [] {
    constexpr double bernoulli[][2] = {{1, 6},       {-1, 30},       {1, 42},       {-1, 30},
                                       {5, 66},      {-691, 2730},   {7, 6},        {-3617, 510},
                                       {43867, 798}, {-174611, 330}, {854513, 138}, {-236364091, 2730}};
    std::array<double_double, 12> c{};
    for (std::size_t i = 0; i < c.size(); ++i)
        c[i] = double_double(bernoulli[i][0]) / (bernoulli[i][1] * static_cast<double>((2 * i + 2) * (2 * i + 1)));
    return c;
}();

/// gamma(x) = e^logarithm / divisor
struct gamma_parts {
    double_double logarithm, divisor = 1;
    constexpr explicit gamma_parts(double_double z) {
        constexpr double_double half_log_2pi{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
        for (; z.hi < 20; z = z + 1) divisor = divisor * z;
        double_double const r = double_double(1) / z;
        double_double const rest = r * power_series(stirling_coefficients, 0, 1, 12, r * r);
        logarithm = (z - 0.5) * constant::logarithm(z) - z + half_log_2pi + rest;
    }
};
/// sin(pi x); |x| is below 2^52
constexpr double_double sine_of_half_turns(double x) {
    double const n = nearest(x);
    double_double const s = sine_series(pi * (x - n));
    return is_odd(n) ? -s : s;
}

constexpr double tgamma(double x) {
    if (is_nan(x) || x == infinity) return x;
    if (magnitude(x) < 0x1p-1024) return with_sign(infinity, x);
    if (x < 0 && is_integer(x)) return nan;
    if (tiny(x)) return 1 / x;
    if (x > 172) return infinity;
    if (x < -186) return is_odd(floor(x)) ? -0.0 : 0.0;
    gamma_parts const g(x > 0 ? double_double(x) : double_double(1) - x);
    with_power const e = exponential(g.logarithm);
    if (x > 0) return with_power{e.value / g.divisor, e.power}.rounded();
    return with_power{pi * g.divisor / (sine_of_half_turns(x) * e.value), -e.power}.rounded();
}

/// ln(gamma(1 + x)) for x near 0: -euler x + zeta(2)/2 x^2 - zeta(3)/3 x^3 + ...
constexpr double_double log_gamma_near_one(double x) {
    constexpr std::array<double_double, 5> c{{{-0x1.2788cfc6fb619p-1, 0x1.6cb90701fbfabp-58},
                                              {0x1.a51a6625307d3p-1, 0x1.1873d8912200cp-56},
                                              {-0x1.9a4d55beab2d7p-2, 0x1.4c26d1b465993p-59},
                                              {0x1.151322ac7d848p-2, 0x1.b5f91211196e5p-57},
                                              {-0x1.a8b9c17aa6149p-3, -0x1.2e826a4fdae1ap-58}}};
    return power_series(c, 0, 1, 5, x) * x;
}
constexpr double_double log_gamma(double_double x) {
    gamma_parts const g(x);
    return g.divisor.hi == 1 ? g.logarithm : g.logarithm - logarithm(g.divisor);
}
constexpr double lgamma(double x) {
    if (is_nan(x)) return x;
    if (magnitude(x) == infinity || (x <= 0 && is_integer(x)) || x > 0x1.754d9278b51a7p+1014) return infinity;
    if (tiny(x)) return -log(magnitude(x));
    if (x > 0x1p100) return scaled((double_double(x * 0x1p-100) * (logarithm(x) - 1)).hi, 100);
    if (magnitude(x - 1) < 0x1p-20) return log_gamma_near_one(x - 1).hi;
    if (magnitude(x - 2) < 0x1p-20) return (log1p_series(x - 2) + log_gamma_near_one(x - 2)).hi;
    if (x > 0) return log_gamma(x).hi;
    double_double const s = sine_of_half_turns(x);
    return (logarithm(pi / (s.hi < 0 ? -s : s)) - log_gamma(double_double(1) - x)).hi;
}

}  // namespace tapeless::detail::constant
