// SPDX-License-Identifier: MIT
#pragma once
// The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x), and their derivatives by x and by a.
// How many terms they take depends on a and x, so these are functions of numbers, lane after lane.

#include <tapeless/simd/gamma.hpp>

namespace tapeless::simd {

namespace detail {

// Temme's expansion for large a: with mu = x/a - 1 and eta^2/2 = mu - ln(1 + mu),
// Q = erfc(eta sqrt(a/2))/2 + e^(-a eta^2/2) / sqrt(2 pi a) (C_0(eta) + C_1(eta)/a + ...); the rows are the power
// series of C_k. Enough for a >= 30 and |mu| < 0.4.
template <class T>
struct temme_constants {
    static constexpr int lengths[] = {18, 16, 14, 13, 11, 9, 7, 5, 3};
    static constexpr T rows[] = {
        -0.3333333333333333,     0.08333333333333333,     -0.014814814814814815,   0.0011574074074074073,
        0.0003527336860670194,   -0.0001787551440329218,  3.919263178522438e-05,   -2.185448510679992e-06,
        -1.85406221071516e-06,   8.296711340953087e-07,   -1.7665952736826078e-07, 6.707853543401498e-09,
        1.0261809784240309e-08,  -4.382036018453353e-09,  9.14769958223679e-10,    -2.5514193994946248e-11,
        -5.830772132550426e-11,  2.4361948020667415e-11,  // C_0
        -0.001851851851851852,   -0.003472222222222222,   0.0026455026455026454,   -0.0009902263374485596,
        0.00020576131687242798,  -4.018775720164609e-07,  -1.8098550334489977e-05, 7.64916091608111e-06,
        -1.6120900894563446e-06, 4.647127802807434e-09,   1.378633446915721e-07,   -5.752545603517705e-08,
        1.1951628599778148e-08,  -1.7543241719747647e-11, -1.0091543710600413e-09,
        4.162792991842583e-10,  // C_1
        0.004133597883597883,    -0.0026813271604938273,  0.0007716049382716049,   2.0093878600823047e-06,
        -0.0001073665322636516,  5.2923448829120125e-05,  -1.2760635188618728e-05, 3.423578734096138e-08,
        1.3721957309062934e-06,  -6.298992138380055e-07,  1.4280614206064242e-07,  -2.0477098421990866e-10,
        -1.409252991086752e-08,  6.228974084922022e-09,  // C_2
        0.0006494341563786008,   0.00022947209362139917,  -0.0004691894943952557,  0.00026772063206283885,
        -7.561801671883977e-05,  -2.396505113867297e-07,  1.1082654115347302e-05,  -5.6749528269915965e-06,
        1.4230900732435883e-06,  -2.7861080291528143e-11, -1.6958404091930278e-07, 8.099464905388083e-08,
        -1.9111168485973655e-08,  // C_3
        -0.0008618882909167117,  0.0007840392217200666,   -0.0002990724803031902,  -1.4638452578843418e-06,
        6.641498215465122e-05,   -3.968365047179435e-05,  1.1375726970678419e-05,  2.507497226237533e-10,
        -1.6954149536558305e-06, 8.907507532205309e-07,
        -2.292934834000805e-07,  // C_4
        -0.00033679855336635813, -6.972813758365857e-05,  0.0002772753244959392,   -0.00019932570516188847,
        6.797780477937208e-05,   1.419062920643967e-07,   -1.3594048189768693e-05, 8.018470256334202e-06,
        -2.291481176508095e-06,  // C_5
        0.0005313079364639922,   -0.0005921664373536939,  0.0002708782096718045,   7.902353232660328e-07,
        -8.153969367561969e-05,  5.61168275310625e-05,    -1.8329116582843375e-05,  // C_6
        0.00034436760689237765,  5.171790908260592e-05,   -0.00033493161081142234, 0.0002812695154763237,
        -0.00010976582244684731,                                                   // C_7
        -0.0006526239185953094,  0.0008394987206720873,   -0.000438297098541721};  // C_8
};

/// mu - ln(1 + mu), accurate next to 0: with s = mu/(2 + mu) it is mu s - 2 s^3 (1/3 + s^2/5 + s^4/7 + ...).
template <class T>
T excess_over_log(T mu) {
    if (!(std::abs(mu) < T(0.4))) return mu - std::log1p(mu);
    T const s = mu / (T(2) + mu), s2 = s * s;
    T sum = T(1) / 31;
    for (int k = 29; k > 1; k -= 2) sum = sum * s2 + T(1) / static_cast<T>(k);
    return s * (mu - T(2) * s2 * sum);
}

/// P and Q for one pair of numbers.
template <class T>
struct incomplete_gamma_pair {
    T p, q;

    incomplete_gamma_pair(T a, T x) {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
        if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (a == infinity && x == infinity)) p = q = nan;
        else if (x == 0 || a == infinity) p = 0, q = 1;
        else if (a == 0 || x == infinity) p = 1, q = 0;
        else if (a >= 30 && std::abs(x - a) < T(0.4) * a) uniform(a, x);
        else if (x < 1 && a < 1) small(a, x);
        else if (x < a) p = series(a, x), q = 1 - p;
        else q = fraction(a, x), p = 1 - q;
    }

    /// x^a e^-x / gamma(a + 1)
    static T factor(T a, T x) {
        if (a < 30) {
            if (x > 1600) return 0;
            T const e = std::exp(T(-0.5) * x);
            return std::pow(x, a) * e / std::tgamma(a + 1) * e;
        }
        T const mu = (x - a) / a, rest = stirling_rest<T>(splat<T>(a))[0];
        T const exponent = std::abs(mu) < T(0.4) ? -a * excess_over_log(mu) : a * std::log(x / a) - (x - a);
        return std::exp(exponent - rest) / std::sqrt(2 * std::numbers::pi_v<T> * a);
    }

private:
    /// P = factor (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...)
    static T series(T a, T x) {
        T term = 1, sum = 1;
        for (int n = 1; n < 10000 && term > sum * std::numeric_limits<T>::epsilon() / 8; ++n)
            sum += term *= x / (a + static_cast<T>(n));
        return factor(a, x) * sum;
    }
    /// Q = factor a / (x + 1 - a - 1 (1 - a)/(x + 3 - a - 2 (2 - a)/(x + 5 - a - ...))): forwards until it does not
    /// change, then backwards, which loses nothing.
    static T fraction(T a, T x) {
        constexpr T tiny = 1e-300;
        auto const above = [&](int n) { return static_cast<T>(n) * (a - static_cast<T>(n)); };
        auto const beside = [&](int n) { return x + (static_cast<T>(2 * n + 1) - a); };
        int n = 1;
        for (T c = 1 / tiny, d = 1 / (beside(0) == 0 ? tiny : beside(0)); n < 10000; ++n) {
            d = above(n) * d + beside(n), c = beside(n) + above(n) / c;
            d = 1 / (d == 0 ? tiny : d), c = c == 0 ? tiny : c;
            if (std::abs(c * d - 1) < std::numeric_limits<T>::epsilon()) break;
        }
        n += n / 2;
        T f = beside(n);
        for (; n > 0; --n) f = beside(n - 1) + above(n) / (f == 0 ? tiny : f);
        return factor(a, x) * a / f;
    }
    /// With u = 1 - x^a/gamma(1 + a): Q = u - (1 - u) a (-x/(a+1) + x^2/(2! (a+2)) - ...), where Q may be small
    /// beside P.
    void small(T a, T x) {
        T term = 1, sum = 0;
        for (int n = 1; n < 40; ++n) {
            term *= -x / static_cast<T>(n);
            sum += term / (a + static_cast<T>(n));
        }
        using k = gamma_constants<T>;
        T const y = a < T(0.25) ? a : a - 1;  // ln gamma(1 + a)
        T const centre = y * (y + 1) * polynomial_of_number(k::centre, 20, y + T(0.25));
        T const log_u = a * std::log(x) - (a < T(0.25) ? centre - std::log1p(a) : centre), u = -std::expm1(log_u);
        q = u - (1 - u) * a * sum;
        p = std::pow(x, a) / std::tgamma(1 + a) * (1 + a * sum);
    }
    void uniform(T a, T x) {
        using k = temme_constants<T>;
        T const mu = (x - a) / a, half_square = excess_over_log(mu),
                eta = std::copysign(std::sqrt(2 * half_square), mu);
        T sum = 0, power = 1;
        T const* row = k::rows;
        for (int n : k::lengths) {
            sum += polynomial_of_number(row, n, eta) * power;
            row += n, power /= a;
        }
        T const rest = std::exp(-a * half_square) / std::sqrt(2 * std::numbers::pi_v<T> * a) * sum;
        T const tail = std::erfc(std::sqrt(a * half_square)) / 2;
        if (mu < 0) p = tail - rest, q = 1 - p;
        else q = tail + rest, p = 1 - q;
    }
};

/// The derivative of P by a. For x <= a the series, term by term: sum of x^(a+n) e^-x / gamma(a+n+1) (ln x -
/// digamma(a+n+1)). Beyond, and for large a, the integral of the derivative from x outwards: s = t - x > 0 or t = x -
/// s, with mu = +-s/x, x^(a-1) e^-x / gamma(a) times the integral of e^(-(a-1)(mu - ln(1+mu)) - mu (x-a+1)) (ln(1+mu)
/// + ln x - digamma(a)) ds.
template <class T>
T incomplete_gamma_by_shape(T a, T x) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    if (!(a > 0 && x >= 0) || a == infinity) return nan;
    if (x == 0 || x == infinity) return 0;
    auto const digamma_of = [](T v) { return first(call_kernel<digamma_kernel>(batch<T>(v))); };
    T const factor = incomplete_gamma_pair<T>::factor(a, x);
    bool const outwards = x > a && x > 1;
    if (!outwards && a < 1000) {
        T term = 1, difference = std::log(x) - digamma_of(a + 1), sum = difference;
        for (int n = 1; n < 10000; ++n) {
            term *= x / (a + static_cast<T>(n)), difference -= 1 / (a + static_cast<T>(n));
            sum += term * difference;
            if (std::abs(term * difference) < std::abs(sum) * std::numeric_limits<T>::epsilon() / 8 && term < T(0.5))
                break;
        }
        return factor * sum;
    }
    // ln x - digamma(a) without the digits that they share
    T const w = 1 / (a * a);
    T const beyond =
        a < 8 ? std::log(x) - digamma_of(a)
              : std::log1p((x - a) / a) + 1 / (2 * a) + w * polynomial_of_number(gamma_constants<T>::psi_rest, 8, w);
    T const sign = outwards ? T(1) : T(-1), slope = (x - a + 1) / x * sign;
    T const width = 1 / (std::abs(slope) + 1 / std::sqrt(x)), h = T(1) / 24, half_pi = std::numbers::pi_v<T> / 2;
    T sum = 0;
    // s = width e^(pi/2 sinh u), trapezia in u: the error falls off doubly exponentially
    for (int i = -96; i <= 96; ++i) {
        T const u = static_cast<T>(i) * h, s = width * std::exp(half_pi * std::sinh(u)), mu = sign * s / x;
        if (!(mu > T(-0.999))) break;
        T const exponent = (1 - a) * excess_over_log(mu) - slope * s;
        sum += s * std::cosh(u) * std::exp(exponent) * (std::log1p(mu) + beyond);
    }
    return -sign * factor * a / x * half_pi * h * sum;
}

template <class Function>
struct by_lanes {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> a, vec<T> x) {
        vec<T> y{};
        for (int i = 0; i < lanes<T>; ++i) y[i] = Function::template of_numbers<T>(a[i], x[i]);
        return y;
    }
};
struct gamma_p_numbers {
    template <class T>
    static T of_numbers(T a, T x) {
        return incomplete_gamma_pair<T>(a, x).p;
    }
};
struct gamma_q_numbers {
    template <class T>
    static T of_numbers(T a, T x) {
        return incomplete_gamma_pair<T>(a, x).q;
    }
};
struct gamma_p_by_shape_numbers {
    template <class T>
    static T of_numbers(T a, T x) {
        return incomplete_gamma_by_shape(a, x);
    }
};
// x^(a-1) e^-x / gamma(a)
struct gamma_p_by_x_numbers {
    template <class T>
    static T of_numbers(T a, T x) {
        if (!(a >= 0 && x >= 0)) return std::numeric_limits<T>::quiet_NaN();
        if (x == 0) return a > 1 ? T(0) : a == 1 ? T(1) : std::numeric_limits<T>::infinity();
        if (x == std::numeric_limits<T>::infinity()) return 0;
        return incomplete_gamma_pair<T>::factor(a, x) * (a / x);
    }
};

}  // namespace detail

/// P(a, x), the integral of t^(a-1) e^-t from 0 to x divided by gamma(a).
inline constexpr detail::through_double<detail::by_lanes<detail::gamma_p_numbers>> gamma_p{};
/// Q(a, x) = 1 - P(a, x), accurate where that is small.
inline constexpr detail::through_double<detail::by_lanes<detail::gamma_q_numbers>> gamma_q{};
/// The derivatives of P(a, x) by x and by a.
inline constexpr detail::through_double<detail::by_lanes<detail::gamma_p_by_x_numbers>> gamma_p_by_x{};
inline constexpr detail::through_double<detail::by_lanes<detail::gamma_p_by_shape_numbers>> gamma_p_by_shape{};

}  // namespace tapeless::simd
