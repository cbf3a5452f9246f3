// SPDX-License-Identifier: MIT
#pragma once
// Special functions by plain series and continued fractions, in the type they are called with: double beside float,
// long double beside double.

#include <cmath>
#include <limits>
#include <numbers>

namespace special {

template <class R>
inline constexpr R infinity = std::numeric_limits<R>::infinity();
template <class R>
inline constexpr R nan = std::numeric_limits<R>::quiet_NaN();
template <class R>
inline constexpr R pi = std::numbers::pi_v<R>;

/// B_2k
template <class R>
R bernoulli(int k) {
    static R const over[] = {1, -1, 1, -1, 5, -691, 7, -3617, 43867, -174611, 854513, -236364091};
    static R const under[] = {6, 30, 42, 30, 66, 2730, 6, 510, 798, 330, 138, 2730};
    return over[k - 1] / under[k - 1];
}

template <class R>
R polygamma(int n, R x);

/// digamma beside its root, where the sum below would cancel: by its derivatives there. The root is the sum of three
/// numbers with few digits, so that the distance is exact.
template <class R>
R digamma_beside_root(R x) {
    R const root[] = {R(1569415565) / 1073741824, R(381566830) / 1073741824 / 1073741824,
                      R(0.9016312093258695918615325266959189e-19)};
    R const d = ((x - root[0]) - root[1]) - root[2];
    R sum = 0, power = 1;
    for (int k = 1; k <= 24; ++k) {
        power *= d / static_cast<R>(k);
        sum += power * polygamma(k, root[0] + root[1]);
    }
    return sum;
}

/// The derivative number n of digamma, by its series from 40 on and the recurrence below.
template <class R>
R polygamma(int n, R x) {
    if (std::isnan(x)) return x;
    if (n == 0 && std::abs(x - R(1.4616)) < R(0.15)) return digamma_beside_root(x);
    if (n == 0 && std::isinf(x)) return x > 0 ? x : nan<R>;
    R sum = 0, factorial = 1;
    for (int i = 2; i <= n; ++i) factorial *= static_cast<R>(i);
    R const sign = n % 2 ? R(1) : R(-1);
    for (; x < 40; x += 1) {
        R term = factorial / x;
        for (int i = 0; i < n; ++i) term /= x;
        if (x < R(1e-30)) return sign * term;
        sum += term;
    }
    R const r = 1 / x;
    R power = 1;
    for (int i = 0; i < n; ++i) power *= r;
    R tail = n == 0 ? -std::log(x) : factorial / static_cast<R>(n) * power;
    tail += factorial / 2 * power * r;
    R rising = n == 0 ? R(0.5) : factorial * static_cast<R>(n + 1) / 2;  // (2k+n-1)!/(2k)!
    for (int k = 1; k <= 12; ++k) {
        power *= r * r;
        tail += bernoulli<R>(k) * rising * power;
        rising *= static_cast<R>((2 * k + n) * (2 * k + n + 1)) / static_cast<R>((2 * k + 1) * (2 * k + 2));
    }
    return sign * (sum + tail);
}
/// digamma(x) for x < 0
template <class R>
R digamma_of_negative(R x) {
    return polygamma(0, 1 - x) - pi<R> / std::tan(pi<R> * (x - std::nearbyint(x)));
}

/// x^a e^-x/gamma(a + 1)
template <class R>
R gamma_density(R a, R x) {
    return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
}
/// P(a, x) = x^a e^-x sum of x^n/gamma(a + n + 1), and (Shape) its derivative by a, term by term.
template <bool Shape, class R>
R gamma_p_series(R a, R x) {
    R term = gamma_density(a, x), sum = 0, digamma = Shape ? polygamma(0, a + 1) : R(0);
    for (int n = 1; n < 5000; ++n) {
        sum += Shape ? term * (std::log(x) - digamma) : term;
        R const next = a + static_cast<R>(n);
        term *= x / next;
        digamma += 1 / next;
        if (n > x &&
            term * (1 + std::abs(std::log(x)) + digamma) < std::numeric_limits<R>::epsilon() * 1e-4 * std::abs(sum))
            break;
    }
    return sum;
}
/// 1 - P(a, x) for x > a + 1: x^a e^-x/gamma(a)/(x + 1 - a - 1 (1 - a)/(x + 3 - a - 2 (2 - a)/(x + 5 - a - ...)))
template <class R>
R gamma_q_fraction(R a, R x) {
    R f = 1;
    for (int n = 2000; n > 0; --n)
        f = x + static_cast<R>(2 * n - 1) - a - static_cast<R>(n) * (static_cast<R>(n) - a) / f;
    return gamma_density(a, x) * a / f;
}
/// The regularised incomplete gamma functions of positive a and x, and the derivatives of the first.
template <class R>
R gamma_p(R a, R x) {
    if (x == 0) return x;
    return x < a + 1 ? gamma_p_series<false>(a, x) : 1 - gamma_q_fraction(a, x);
}
template <class R>
R gamma_q(R a, R x) {
    if (x == 0) return 1;
    return x < a + 1 ? 1 - gamma_p_series<false>(a, x) : gamma_q_fraction(a, x);
}
template <class R>
R gamma_p_by_x(R a, R x) {
    return gamma_density(a, x) * a / x;
}
template <class R>
R gamma_p_by_shape(R a, R x) {
    return x == 0 ? R(0) : gamma_p_series<true>(a, x);
}

/// e^(a^2) erfc(a): 1/sqrt(pi) / (a + (1/2)/(a + (2/2)/(a + (3/2)/...))) for a > 3
template <class R>
R scaled_erfc(R a) {
    if (a < 3) return std::exp(a * a) * std::erfc(a);
    R f = a;
    for (int n = 400; n > 0; --n) f = a + static_cast<R>(n) / 2 / f;
    return 1 / (std::sqrt(pi<R>) * f);
}
template <class R>
R normal_cdf(R x) {
    return std::erfc(-x / std::sqrt(R(2))) / 2;
}
template <class R>
R log_normal_cdf(R x) {
    if (x > 0) return std::log1p(-normal_cdf(-x));
    return x > -3 ? std::log(normal_cdf(x)) : std::log(scaled_erfc(-x / std::sqrt(R(2))) / 2) - x * x / 2;
}
template <class R>
R normal_hazard(R x) {
    if (x > -3) return std::exp(-x * x / 2) / std::sqrt(2 * pi<R>) / normal_cdf(x);
    return std::sqrt(2 / pi<R>) / scaled_erfc(-x / std::sqrt(R(2)));
}

/// Newton's method on ln erfc(y) = ln z for z < 1/2, on erf(y) = 1 - z else.
template <class R>
R erfcinv(R z, R x) {
    if (!(z >= 0 && z <= 2)) return nan<R>;
    if (z == 0) return infinity<R>;
    if (z == 2) return -infinity<R>;
    if (z > 1) return -erfcinv(2 - z, -x);
    if (x == 0) return x;
    R y = z < R(0.5) ? std::sqrt(-std::log(z)) : x;
    for (int i = 0; i < 60; ++i) {
        R const slope = std::exp(-y * y) * 2 / std::sqrt(pi<R>);
        R step;
        if (z < R(0.5)) {
            R const s = scaled_erfc(y);
            step = (std::log(s) - y * y - std::log(z)) * s / (2 / std::sqrt(pi<R>));
        } else {
            step = (x - std::erf(y)) / slope;
        }
        y += step;
        if (std::abs(step) <= 2 * std::numeric_limits<R>::epsilon() * std::abs(y)) break;
    }
    return y;
}
template <class R>
R erfinv(R x) {
    return erfcinv(1 - x, x);
}
template <class R>
R inv_normal_cdf(R p) {
    if (p == R(0.5)) return 0;
    return -std::sqrt(R(2)) * erfcinv(2 * p, 1 - 2 * p);
}

/// I_order(|x|) times e^-|x| where scaled: the power series, and for large x the asymptotic one.
template <class R>
R bessel(int order, bool scaled, R x) {
    if (std::isnan(x)) return x;
    R const a = std::abs(x);
    R y;
    if (a <= 40) {
        R term = order == 0 ? R(1) : a / 2;
        y = term;
        for (int k = 1; k < 300 && term > y * std::numeric_limits<R>::epsilon() / 64; ++k) {
            term *= a / 2 * (a / 2) / static_cast<R>(k * (k + order));
            y += term;
        }
        if (scaled) y *= std::exp(-a);
    } else if (std::isinf(a)) {
        y = scaled ? R(0) : a;
    } else {
        R term = 1;
        y = term;
        for (int k = 1; k < 60; ++k) {
            term *= static_cast<R>((2 * k - 1) * (2 * k - 1) - 4 * order) / (8 * a * static_cast<R>(k));
            y += term;
        }
        y /= std::sqrt(2 * pi<R> * a);
        if (!scaled) y = a > 800 ? infinity<R> : y * std::exp(a / 2) * std::exp(a / 2);
    }
    return order == 1 ? std::copysign(y, x) : y;
}

template <class R>
R log1mexp(R x) {
    return x > R(-0.7) ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}
template <class R>
R logit(R p) {
    return p > R(0.25) && p < R(0.75) ? std::log1p((2 * p - 1) / (1 - p)) : std::log(p / (1 - p));
}
template <class R>
R log_beta(R a, R b) {
    return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

}  // namespace special
