// SPDX-License-Identifier: MIT
#pragma once
// ln gamma, its derivatives, and ln beta: a polynomial for arguments around 2, to which others below 8 are moved by
// gamma(x + 1) = x gamma(x); Stirling's series for large ones; reflection for negative ones, lane by lane.

#include <numbers>

#include <tapeless/simd/through_double.hpp>

namespace tapeless::simd {

namespace detail {

// ln gamma(2 + y) = y (y + 1) (centre[0] + centre[1] v + ...) for v = y + 1/4, |v| <= 1/2, relative error 4e-17;
// ln gamma(x) = (x - 1/2) ln x - x + ln(2 pi)/2 + (rest[0] + rest[1]/x^2 + ...)/x for x >= 7.5, 6e-17;
// digamma(3/2 + v) = (3/2 + v - root) (psi[0] + psi[1] v + ...) for |v| <= 1/2, 5e-17;
// digamma(x) = ln x - 1/(2x) - (psi_rest[0] + psi_rest[1]/x^2 + ...)/x^2 for x >= 6, 3e-18.
template <class T>
struct gamma_constants {
    static constexpr T centre[] = {
        0.4501393121092563,     -0.11948158662524273,    0.04452044719851035,    -0.019053957830248994,
        0.008776370425162753,   -0.004226194125790381,   0.0020955338847615046,  -0.0010605660803656776,
        0.0005448968661320067,  -0.00028319051339952244, 0.00014851859561808775, -7.846316778500365e-05,
        4.1689078112976957e-05, -2.2269897985327024e-05, 1.2039701634087352e-05, -6.4957190442490315e-06,
        3.2070999282779364e-06, -1.7180516770850667e-06, 1.5056360035566585e-06, -8.376744756293395e-07};
    static constexpr T rest[] = {0.08333333333333333,    -0.002777777777777542, 0.0007936507933694417,
                                 -0.0005952379668760194, 0.0008417219173138237, -0.0019139513529176702,
                                 0.006160299805120653,   -0.019973796365511283};
    static constexpr T psi[] = {
        0.9510558760318328,    -0.42362742128146047,    0.24054248424078736,    -0.14840492305391872,
        0.09498872445282817,   -0.06192213327154086,    0.040760833944741226,   -0.026975796849870903,
        0.01790724819228875,   -0.011908215022954471,   0.007927024136843637,   -0.005280020264450306,
        0.0035180792717028125, -0.0023446244638506528,  0.0015635739915515125,  -0.0010424375640517788,
        0.0006899428514219089, -0.00045917430083105225, 0.00032689316473621455, -0.00022008418201681154,
        9.158816882117e-05,    -5.76048865255672e-05,   0.00012241591000024265, -8.401289563760489e-05};
    static constexpr T psi_rest[] = {
        0.08333333333333331, -0.008333333333267643, 0.003968253917761117, -0.0041666517937554975, 0.0075735854265381415,
        -0.02091753832141701, 0.07522146312741407, -0.2301735395404358};
    static constexpr T root_minus_1 = 0.46163214496836236, root_rest = -1.5522348162858677e-17;
    // B_2, B_4, ...
    static constexpr T bernoulli[10] = {
        1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510, 43867. / 798, -174611. / 330};
};

// What Stirling's formula lacks; x >= 7.5.
template <class T>
[[gnu::always_inline]] inline vec<T> stirling_rest(vec<T> x) {
    vec<T> const r = T(1) / x, w = r * r;
    return polynomial<T>(gamma_constants<T>::rest, w, w * w) * r;
}

struct lgamma_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> x) {
        // x = n + y; gamma(x) = gamma(2 + y) q for n > 2, gamma(2 + y) / q for n < 2
        vec<T> const near = at_most<T>(x, T(7.5)), n = rounded<direction::down, T>(near + T(0.75)), y = near - n,
                     v = y + T(0.25);
        vec<T> const centre = y * (y + T(1)) * polynomial<T>(gamma_constants<T>::centre, v, v * v),
                     one = splat<T>(T(1));
        vec<T> q = n > T(2) ? y + T(2) : (n == T(1) ? x : (n == T(2) ? one : x * (x + T(1))));
        for (int j = 3; j < 8; ++j) q *= n > T(j) ? y + T(j) : one;
        auto const large = lanes_where<T>(x > T(7.5));
        auto const [k, m] = split_exponent<T>(large ? x : q);
        vec<T> const whole = k * exp_constants<T>::ln2_hi,
                     part = log_of_fraction<T>(m - T(1), k * exp_constants<T>::ln2_lo);
        vec<T> const sign = n < T(2) ? -one : one;
        vec<T> const small = madd<T>(sign, whole, madd<T>(sign, part, centre));
        // (x - 1/2) (ln x - 1) + (ln(2 pi) - 1)/2 + ..., the first product with its rounding error
        vec<T> const h = x - T(0.5), b = whole - T(1), product = h * b, lost = madd<T>(h, b, -product);
        vec<T> const series = product + madd<T>(h, part, lost + (T(0.41893853320467274) + stirling_rest<T>(x)));
        auto const rare = not_positive_normal<T>(x) | lanes_where<T>(x > T(1e300));
        return unless_rare<T>(rare, x, large ? series : small, [](T a) { return elsewhere<T>(a); });
    }
    // 0, subnormal, infinite, huge, or negative: gamma(-y) = -pi / (y sin(pi y) gamma(y))
    template <class T>
    static T elsewhere(T a) {
        constexpr T infinity = std::numeric_limits<T>::infinity(), pi = std::numbers::pi_v<T>;
        if (a != a) return a;
        if (std::abs(a) == infinity) return infinity;
        if (std::abs(a) < std::numeric_limits<T>::min()) return -std::log(std::abs(a));
        if (a > 0) return a * (std::log(a) - 1);
        T const fraction = a - std::nearbyint(a);
        if (fraction == 0) return infinity;
        return std::log(pi / (-a * std::abs(std::sin(pi * fraction)))) -
               first(call_kernel<lgamma_kernel>(batch<T>(-a)));
    }
};

struct digamma_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> x) {
        using k = gamma_constants<T>;
        // x = n + y; digamma(x) = digamma(1 + y) + 1/(1 + y) + ... + 1/(x - 1), the fractions as one
        vec<T> const near = at_most<T>(x, T(6)), n = rounded<direction::down, T>(near), y = near - n, v = y - T(0.5);
        auto const below = lanes_where<T>(n == T(0));
        vec<T> const one = splat<T>(T(1));
        vec<T> over = below ? -one : vec<T>{}, under = below ? x : one;
        for (int j = 1; j < 5; ++j) {
            auto const taken = lanes_where<T>(n > T(j));
            vec<T> const t = taken ? y + T(j) : one;
            over = taken ? madd<T>(over, t, under) : over;
            under *= t;
        }
        vec<T> const small =
            madd<T>((y - k::root_minus_1) - k::root_rest, polynomial<T>(k::psi, v, v * v), over / under);
        vec<T> const r = one / x, w = r * r;
        vec<T> const series = log_of_normal<T>(x, -madd<T>(w, polynomial<T>(k::psi_rest, w, w * w), T(0.5) * r));
        return unless_rare<T>(not_positive_normal<T>(x), x, x < T(6) ? small : series,
                              [](T a) { return elsewhere<T>(a); });
    }
    // 0, subnormal, infinite, or negative: digamma(a) = digamma(1 - a) - pi / tan(pi a)
    template <class T>
    static T elsewhere(T a) {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
        if (a != a || a == infinity) return a;
        if (a > -std::numeric_limits<T>::min()) return T(-1) / a;
        T const fraction = a - std::nearbyint(a);
        if (fraction == 0 || a == -infinity) return nan;
        T const pi = std::numbers::pi_v<T>;
        return first(call_kernel<digamma_kernel>(batch<T>(T(1) - a))) - pi / std::tan(pi * fraction);
    }
};

template <class T>
T polygamma_of_number(int n, T x);

// The derivatives of digamma: (-1)^(N+1) N! (1/x^(N+1) + 1/(x+1)^(N+1) + ...), the rest of the sum from z on as
// (N-1)!/z^N + N!/(2 z^(N+1)) + the sum of B_2k (2k+N-1)!/(2k)! / z^(2k+N).
template <int N, class T>
struct polygamma_constants {
    static constexpr int terms = 10;
    T factorial = 1, c[static_cast<std::size_t>(terms)] = {};
    constexpr polygamma_constants() {
        for (int i = 2; i <= N; ++i) factorial *= static_cast<T>(i);
        T f = factorial * static_cast<T>(N + 1) / 2;  // (2k+N-1)!/(2k)!, k = 1
        for (int k = 1; k <= terms; ++k) {
            c[k - 1] = gamma_constants<T>::bernoulli[k - 1] * f;
            f *= static_cast<T>((2 * k + N) * (2 * k + N + 1)) / static_cast<T>((2 * k + 1) * (2 * k + 2));
        }
    }
};
template <int N, class T>
inline constexpr polygamma_constants<N, T> polygamma_terms{};

template <int N>
struct polygamma_kernel {
    static constexpr int from = 9 + N;
    template <int E, class T>
    [[gnu::always_inline]] static vec<T> power(vec<T> x) {
        if constexpr (E == 1) return x;
        else {
            vec<T> const half = power<E / 2, T>(x), even = half * half;
            return E % 2 ? even * x : even;
        }
    }
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> x) {
        constexpr auto const& k = polygamma_terms<N, T>;
        vec<T> const one = splat<T>(T(1));
        vec<T> over{}, under = one, z = x < T(from) ? x + T(1) : x;
        for (int j = 1; j < from; ++j) {
            auto const taken = lanes_where<T>(z < T(from));
            vec<T> const t = power<N + 1, T>(taken ? z : one);
            over = taken ? madd<T>(over, t, under) : over;
            under *= t;
            z = taken ? x + T(j + 1) : z;
        }
        vec<T> const first_term = x < T(from) ? one / power<N + 1, T>(x) : vec<T>{};
        vec<T> const r = one / z, w = r * r;
        vec<T> const series =
            madd<T>(r, k.factorial / 2 + r * polynomial<T>(k.c, w, w * w), splat<T>(k.factorial / T(N)));
        vec<T> const sum = madd<T>(power<N, T>(r), series, k.factorial * (over / under)) + k.factorial * first_term;
        return unless_rare<T>(lanes_where<T>(x < T(0)), x, N % 2 ? sum : -sum,
                              [](T a) { return polygamma_of_number(N, a); });
    }
};

// The same of a number, for any order n >= 1. Where x < 0, (-1)^n polygamma(1 - x) - pi times the n-th derivative of
// cot(pi x), a polynomial of the cotangent c: c' = -pi (1 + c^2).
template <class T>
T polygamma_of_number(int n, T x) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    if (x < 0) {
        constexpr int most = 32;
        T const pi = std::numbers::pi_v<T>, fraction = x - std::nearbyint(x);
        if (x == -infinity || n > most) return nan;
        if (fraction == 0) return n % 2 ? infinity : nan;
        T p[static_cast<std::size_t>(most + 3)] = {0, 1};
        for (int k = 1; k <= n; ++k) {  // p <- -pi (1 + c^2) p'
            T d[static_cast<std::size_t>(most + 3)] = {};
            for (int i = 1; i <= k; ++i)
                d[i - 1] -= pi * static_cast<T>(i) * p[i], d[i + 1] -= pi * static_cast<T>(i) * p[i];
            for (int i = 0; i <= k + 1; ++i) p[i] = d[i];
        }
        T const other = polygamma_of_number(n, T(1) - x);
        return (n % 2 ? -other : other) - pi * polynomial_of_number(p, n + 2, T(1) / std::tan(pi * fraction));
    }
    T factorial = 1, sum = 0, z = x;
    for (int i = 2; i < n; ++i) factorial *= static_cast<T>(i);  // (n-1)!
    for (; z < static_cast<T>(9 + n); z += 1) sum += static_cast<T>(n) / std::pow(z, static_cast<T>(n + 1));
    T const r = 1 / z;
    T term = static_cast<T>(n * (n + 1)) / 2 * r * r, tail = 1 + static_cast<T>(n) / 2 * r;
    for (int k = 1; k <= 10; ++k) {
        tail += gamma_constants<T>::bernoulli[k - 1] * term;
        term *= r * r * static_cast<T>((2 * k + n) * (2 * k + n + 1)) / static_cast<T>((2 * k + 1) * (2 * k + 2));
    }
    T const y = factorial * (sum + std::pow(r, static_cast<T>(n)) * tail);
    return n % 2 ? y : -y;
}

// ln(gamma(a) gamma(b) / gamma(a + b)) by Stirling's formula for b and a + b (and a, where it is large), with the
// large terms taken together; where b, the larger one, is less than 8, B(a, b) = B(a, b + 1) (a + b)/b leads there.
// Small ones as it stands.
struct log_beta_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> a, vec<T> b) {
        constexpr T infinity = std::numeric_limits<T>::infinity();
        auto const log_gamma = [](vec<T> v) { return raw(call_kernel<lgamma_kernel>(wrap<T>(v))); };
        vec<T> const p = smaller<T>(a, b), of_p = log_gamma(p), one = splat<T>(T(1));
        auto const small = lanes_where<T>(a + b < T(4));
        vec<T> q = larger<T>(a, b), over = one, under = one;
        for (int j = 0; j < 8; ++j) {
            auto const taken = lanes_where<T>(q < T(8));
            over *= taken ? p + q : one;
            under *= taken ? q : one;
            q = taken ? q + T(1) : q;
        }
        vec<T> const s = p + q, ratio = p / s, log_s = log<T>(s);
        vec<T> const start = T(0.91893853320467274) - T(0.5) * log_s;
        vec<T> const stirling = madd<T>(p - T(0.5), log<T>(ratio), start) + stirling_rest<T>(p);
        vec<T> const first = (p >= T(8) ? stirling : of_p + (p - p * log_s)) + log<T>(over / under);
        vec<T> y = first + madd<T>(q - T(0.5), log1p<T>(-ratio), stirling_rest<T>(q) - stirling_rest<T>(s));
        if (any_lane<T>(small)) y = small ? of_p + (log_gamma(larger<T>(a, b)) - log_gamma(a + b)) : y;
        return p == T(0) ? splat<T>(infinity) : (q < infinity ? y : (q == infinity ? splat<T>(-infinity) : q));
    }
};

}  // namespace detail

/// ln |gamma(x)|: infinite at 0 and at negative whole numbers.
inline constexpr detail::through_double<detail::lgamma_kernel> lgamma{};
/// The derivative of lgamma: -inf at 0, NaN at negative whole numbers.
inline constexpr detail::through_double<detail::digamma_kernel> digamma{};
/// The first and the second derivative of digamma, and the n-th of one number after the other.
inline constexpr detail::through_double<detail::polygamma_kernel<1>> trigamma{};
inline constexpr detail::through_double<detail::polygamma_kernel<2>> tetragamma{};
template <real_batch B, class T = value_of<B>>
[[gnu::noinline]] B polygamma(int n, B x) {
    detail::vec<T> y = detail::raw(x);
    for (int i = 0; i < lanes<T>; ++i) y[i] = static_cast<T>(detail::polygamma_of_number(n, static_cast<double>(y[i])));
    return detail::wrap<T>(y);
}
/// ln(gamma(a) gamma(b) / gamma(a + b)) for positive a and b.
inline constexpr detail::through_double<detail::log_beta_kernel> log_beta{};

}  // namespace tapeless::simd
