// SPDX-License-Identifier: MIT
#pragma once
// Functions of numbers for compilers that do not evaluate those of <cmath> in constant expressions. The value is the
// nearest double, or one of the two nearest where both are nearly as near and where it is too small to have all its
// bits.

#include <limits>

#include <tapeless/base/double_double.hpp>

namespace tapeless::detail::constant {

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double_double ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
inline constexpr double_double log2_e{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
inline constexpr double_double log10_e{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
inline constexpr double_double pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
inline constexpr double_double half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
inline constexpr double half_pi_rest = -0x1.f1976b7ed8fbcp-110;  // pi/2 less the two above

/// 1/n!
inline constexpr auto inverse_factorials = [] {
    std::array<double_double, 36> c{1.0};
    for (std::size_t n = 1; n < c.size(); ++n) c[n] = c[n - 1] / static_cast<double>(n);
    return c;
}();
/// 1/(2n + 1)
inline constexpr auto inverse_odd = [] {
    std::array<double_double, 80> c{};
    for (std::size_t n = 0; n < c.size(); ++n) c[n] = double_double(1) / static_cast<double>(2 * n + 1);
    return c;
}();

constexpr bool is_nan(double x) { return __builtin_isnan(x); }
constexpr double magnitude(double x) { return __builtin_fabs(x); }
constexpr double with_sign(double x, double sign) { return __builtin_copysign(x, sign); }
constexpr bool negative(double x) { return std::bit_cast<std::uint64_t>(x) >> 63; }
/// Functions with f(0) = 0 and f'(0) = 1 are the argument itself, and products would lose bits below the smallest
/// double.
constexpr bool tiny(double x) { return magnitude(x) < 0x1p-54; }

// Rounding: from 2^52 on every number is an integer.

constexpr double trunc(double x) {
    return magnitude(x) < 0x1p52 ? with_sign(static_cast<double>(static_cast<std::int64_t>(x)), x) : x;
}
constexpr double floor(double x) { return trunc(x) > x ? trunc(x) - 1 : trunc(x); }
constexpr double ceil(double x) { return trunc(x) < x ? trunc(x) + 1 : trunc(x); }
constexpr double round(double x) {
    if (!(magnitude(x) < 0x1p52)) return x;
    return magnitude(x - trunc(x)) < 0.5 ? trunc(x) : trunc(x) + with_sign(1, x);
}
constexpr bool is_integer(double x) { return trunc(x) == x; }
constexpr bool is_odd(double x) { return magnitude(x) < 0x1p53 && is_integer(x) && (static_cast<std::int64_t>(x) & 1); }

/// By long division of the mantissas, 11 bits at a time.
constexpr double fmod(double x, double y) {
    double const a = magnitude(x), b = magnitude(y);
    if (is_nan(x) || is_nan(y)) return nan;
    if (a == infinity || b == 0) return nan;
    if (a < b) return x;
    int const unit = exponent_of(b) - 52;
    auto const divisor = static_cast<std::uint64_t>(scaled(b, -unit));
    int k = exponent_of(a) - 52;
    auto rest = static_cast<std::uint64_t>(scaled(a, -k)) % divisor;
    for (; k > unit && rest != 0; k -= 11) rest = (rest << (k - unit < 11 ? k - unit : 11)) % divisor;
    return with_sign(scaled(static_cast<double>(rest), unit), x);
}

// Roots: Newton's steps on doubles, and the last one on pairs of them.

constexpr double_double square_root(double_double x) {
    if (x.hi == 0) return x;
    int const k = exponent_of(x.hi) & ~1;
    double_double const m = scaled(x, -k);  // 1 <= m < 4
    double s = 0.6 + 0.4 * m.hi;
    for (int i = 0; i < 4; ++i) s = 0.5 * (s + m.hi / s);
    return scaled(s + (m - double_double::product(s, s)) / (2 * s), k / 2);
}
constexpr double sqrt(double x) {
    if (x < 0) return nan;
    return x > 0 && x < infinity ? square_root(x).hi : x;
}
constexpr double cbrt(double x) {
    if (is_nan(x) || x == 0 || magnitude(x) == infinity) return x;
    int const e = exponent_of(x), k = (e + 3000) / 3 - 1000;
    double const m = scaled(magnitude(x), -3 * k);  // 1 <= m < 8
    double s = 0.9 + 0.16 * m;
    for (int i = 0; i < 5; ++i) s -= (s - m / (s * s)) / 3;
    double_double const square = double_double::product(s, s);
    return with_sign(scaled((s + (m - square * s) / (square * 3)).hi, k), x);
}
constexpr double hypot(double x, double y) {
    double const a = magnitude(x), b = magnitude(y), large = a < b ? b : a, small = a < b ? a : b;
    if (a == infinity || b == infinity) return infinity;
    if (is_nan(x) || is_nan(y)) return nan;
    if (small == 0 || exponent_of(large) - exponent_of(small) > 60) return large;
    int const k = exponent_of(large);
    double const p = scaled(large, -k), q = scaled(small, -k);
    return scaled(square_root(double_double::product(p, p) + double_double::product(q, q)).hi, k);
}

// Exponentials: e^x = 2^k e^r with |r| <= ln(2)/2.

/// value * 2^power
struct with_power {
    double_double value;
    int power;
    constexpr double rounded() const { return scaled(value.hi, power); }
};
/// e^r - 1
constexpr double_double expm1_series(double_double r) { return r * power_series(inverse_factorials, 1, 1, 20, r); }
constexpr with_power exponential(double_double x) {
    double const k = nearest(x.hi * log2_e.hi);
    return {expm1_series(x - ln2 * k) + 1, static_cast<int>(k)};
}
/// e^x - 1 where |x| is below 100
constexpr double_double exponential_less_one(double_double x) {
    if (magnitude(x.hi) < 0.34) return expm1_series(x);
    with_power const y = exponential(x);
    return scaled(y.value, y.power) - 1;
}
inline constexpr double largest_exponent = 0x1.62e42fefa39efp+9, smallest_exponent = -746;  // beyond: infinite, 0

constexpr double exp(double x) {
    if (is_nan(x)) return x;
    if (x > largest_exponent) return infinity;
    return x < smallest_exponent ? 0 : exponential(x).rounded();
}
constexpr double exp2(double x) {
    if (is_nan(x)) return x;
    if (x >= 1024) return infinity;
    if (x < -1076) return 0;
    return scaled((expm1_series(ln2 * (x - nearest(x))) + 1).hi, static_cast<int>(nearest(x)));
}
constexpr double expm1(double x) {
    if (is_nan(x) || tiny(x)) return x;
    if (x < -40) return -1;
    return x > 80 ? exp(x) : exponential_less_one(x).hi;
}

// Logarithms: x = m 2^k with m near 1, and ln m = 2 artanh((m - 1)/(m + 1)).

/// s + s q/3 + s q^2/5 + ...: artanh s where q = s^2, arctan s where q = -s^2
constexpr double_double odd_series(double_double s, double_double q) {
    return s * power_series(inverse_odd, 0, 1, 20, q);
}
/// ln(1 + f) where 1 + f is from sqrt(1/2) to sqrt(2)
constexpr double_double log1p_series(double_double f) {
    double_double const s = f / (f + 2);
    return odd_series(s, s * s) * 2;
}
/// k where x 2^-k is from sqrt(1/2) to sqrt(2)
constexpr int power_in(double x) { return exponent_of(x) + (scaled(x, -exponent_of(x)) > 0x1.6a09e667f3bcdp+0); }
constexpr double_double logarithm(double_double x) {
    int const k = power_in(x.hi);
    return ln2 * k + log1p_series(scaled(x, -k) - 1);
}
constexpr double_double logarithm_of_one_plus(double_double x) {
    return x.hi > -0.29 && x.hi < 0.41 ? log1p_series(x) : logarithm(x + 1);
}
/// Where a logarithm is not a finite number, what it is; else 0.
constexpr double special_logarithm(double x) {
    if (is_nan(x) || x < 0) return nan;
    return x == 0 ? -infinity : x == infinity ? x : 0;
}
constexpr double log(double x) {
    double const special = special_logarithm(x);
    return special == 0 ? logarithm(x).hi : special;
}
constexpr double log2(double x) {
    double const special = special_logarithm(x);
    if (special != 0) return special;
    int const k = power_in(x);
    return (log1p_series(double_double(scaled(x, -k)) - 1) * log2_e + k).hi;
}
constexpr double log10(double x) {
    double const special = special_logarithm(x);
    return special == 0 ? (logarithm(x) * log10_e).hi : special;
}
constexpr double log1p(double x) {
    if (tiny(x)) return x;
    double const special = x < 0x1p60 ? special_logarithm(1 + x) : special_logarithm(x);
    return special == 0 ? logarithm_of_one_plus(x).hi : special;
}

/// C's rules: pow(x, 0) and pow(1, y) are 1 also for NaN; an odd y keeps the sign of x.
constexpr double pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (is_nan(x) || is_nan(y)) return nan;
    double const a = magnitude(x), sign = negative(x) && is_odd(y) ? -1 : 1;
    if (a == 1 && (magnitude(y) == infinity || is_integer(y))) return sign;
    if (a == 0 || a == infinity) return (a == 0) == (y < 0) ? with_sign(infinity, sign) : with_sign(0, sign);
    if (x < 0 && magnitude(y) != infinity && !is_integer(y)) return nan;
    if (magnitude(y) > 1e20) return (a > 1) == (y > 0) ? with_sign(infinity, sign) : with_sign(0, sign);
    double_double const t = logarithm(a) * y;
    if (t.hi > 710) return with_sign(infinity, sign);
    return with_sign(t.hi < smallest_exponent ? 0 : exponential(t).rounded(), sign);
}

// Angles: x = n pi/2 + r with |r| <= pi/4.

constexpr double_double sine_series(double_double r) {
    return r * power_series(inverse_factorials, 1, 2, 17, -(r * r));
}
constexpr double_double cosine_series(double_double r) { return power_series(inverse_factorials, 0, 2, 15, -(r * r)); }

/// Up to 2^32 three doubles of pi/2 are enough.
struct sine_and_cosine {
    double_double sine, cosine;
    constexpr explicit sine_and_cosine(double x) {
        double const n = nearest(x * 0x1.45f306dc9c883p-1);
        double_double const part = double_double(x) - double_double::product(n, half_pi.hi);
        double_double const r = part - double_double::product(n, half_pi.lo) - n * half_pi_rest;
        auto const quadrant = static_cast<std::int64_t>(n) & 3;
        double_double const s = sine_series(r), c = cosine_series(r);
        sine = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
        cosine = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
    }
};
/// Beyond, the compiler's own function is called, which may say that it is no constant.
inline constexpr double largest_angle = 0x1p32;

constexpr double sin(double x) {
    if (is_nan(x) || tiny(x)) return x;
    if (magnitude(x) == infinity) return nan;
    return magnitude(x) > largest_angle ? __builtin_sin(x) : sine_and_cosine(x).sine.hi;
}
constexpr double cos(double x) {
    if (is_nan(x)) return x;
    if (magnitude(x) == infinity) return nan;
    return magnitude(x) > largest_angle ? __builtin_cos(x) : sine_and_cosine(x).cosine.hi;
}
constexpr double tan(double x) {
    if (is_nan(x) || tiny(x)) return x;
    if (magnitude(x) == infinity) return nan;
    if (magnitude(x) > largest_angle) return __builtin_tan(x);
    sine_and_cosine const y(x);
    return (y.sine / y.cosine).hi;
}

/// arctan of t from 0 to 1: twice half the angle, tan(a/2) = t/(1 + sqrt(1 + t^2))
constexpr double_double arctangent(double_double t) {
    for (int i = 0; i < 2; ++i) t = t / (square_root(t * t + 1) + 1);
    return odd_series(t, -(t * t)) * 4;
}
/// The angle of the point (x, y), from 0 to pi; y >= 0
constexpr double_double angle(double_double y, double_double x) {
    bool const left = x.hi < 0;
    double_double const a = left ? -x : x;
    if (a.hi < y.hi) return left ? half_pi + arctangent(a / y) : half_pi - arctangent(a / y);
    return left ? pi - arctangent(y / a) : arctangent(y / a);
}

constexpr double atan(double x) {
    if (is_nan(x) || tiny(x)) return x;
    return with_sign(magnitude(x) > 1e20 ? half_pi.hi : angle(magnitude(x), 1.0).hi, x);
}
constexpr double atan2(double y, double x) {
    if (is_nan(x) || is_nan(y)) return nan;
    double const a = magnitude(x), b = magnitude(y);
    if (a == infinity && b == infinity) return with_sign((negative(x) ? pi * 0.75 : pi * 0.25).hi, y);
    if (b == 0 || a == infinity) return with_sign(negative(x) ? pi.hi : 0, y);
    if (a == 0 || b == infinity) return with_sign(half_pi.hi, y);
    int const k = exponent_of(x), steep = exponent_of(y) - k;
    if (steep > 100) return with_sign(half_pi.hi, y);
    if (steep < -100) return x < 0 ? with_sign(pi.hi, y) : y / x;
    return with_sign(angle(scaled(b, -k), scaled(x, -k)).hi, y);
}
/// sqrt(1 - x^2)
constexpr double_double other_leg(double x) { return square_root((double_double(1) - x) * (double_double(1) + x)); }
constexpr double asin(double x) {
    if (is_nan(x) || tiny(x)) return x;
    return magnitude(x) > 1 ? nan : with_sign(angle(magnitude(x), other_leg(x)).hi, x);
}
constexpr double acos(double x) {
    if (is_nan(x)) return x;
    return magnitude(x) > 1 ? nan : angle(other_leg(x), x).hi;
}

// Hyperbolic functions, by e^x - 1 and ln(1 + x), which keep their digits near 0.

/// e^x / 2 where x is above 40
constexpr double half_exponential(double x) {
    if (x > 0x1.633ce8fb9f87dp+9) return infinity;
    with_power const y = exponential(x);
    return scaled(y.value.hi, y.power - 1);
}
constexpr double sinh(double x) {
    if (is_nan(x) || tiny(x)) return x;
    if (magnitude(x) > 40) return with_sign(half_exponential(magnitude(x)), x);
    double_double const e = exponential_less_one(magnitude(x));
    return with_sign(((e + e / (e + 1)) * 0.5).hi, x);
}
constexpr double cosh(double x) {
    if (is_nan(x)) return x;
    if (magnitude(x) > 40) return half_exponential(magnitude(x));
    double_double const e = exponential_less_one(magnitude(x)) + 1;
    return ((e + double_double(1) / e) * 0.5).hi;
}
constexpr double tanh(double x) {
    if (is_nan(x) || tiny(x)) return x;
    if (magnitude(x) > 20) return with_sign(1, x);
    double_double const e = exponential_less_one(2 * magnitude(x));
    return with_sign((e / (e + 2)).hi, x);
}
constexpr double asinh(double x) {
    double const a = magnitude(x);
    if (is_nan(x) || tiny(x) || a == infinity) return x;
    if (a > 0x1p60) return with_sign((logarithm(a) + ln2).hi, x);
    double_double const square = double_double::product(a, a);
    return with_sign(logarithm_of_one_plus(square / (square_root(square + 1) + 1) + a).hi, x);
}
constexpr double acosh(double x) {
    if (is_nan(x) || x < 1) return nan;
    if (x == infinity) return x;
    if (x > 0x1p60) return (logarithm(x) + ln2).hi;
    double_double const t = double_double(x) - 1;
    return logarithm_of_one_plus(t + square_root(t * (t + 2))).hi;
}
constexpr double atanh(double x) {
    double const a = magnitude(x);
    if (is_nan(x) || tiny(x)) return x;
    if (a >= 1) return a > 1 ? nan : with_sign(infinity, x);
    return with_sign((logarithm_of_one_plus(double_double(2 * a) / (double_double(1) - a)) * 0.5).hi, x);
}

}  // namespace tapeless::detail::constant
