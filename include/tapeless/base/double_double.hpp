// SPDX-License-Identifier: MIT
#pragma once
// Numbers of about 104 bits, each the sum of two doubles: for constants that the compiler has to round rightly.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tapeless::detail::inline base_part {

/// hi + lo, where hi is the nearest double to the sum. What follows is written in few statements and without calls:
/// clang counts both, and stops at a million in a constant expression.
struct double_double {
    double hi = 0, lo = 0;

    constexpr double_double() = default;
    constexpr double_double(double high, double low = 0) : hi(high), lo(low) {}

    /// a * b, exactly (Dekker): each factor is split into halves of 26 bits
    static constexpr double_double product(double a, double b) {
        double const p = a * b, s = 0x8000001p0 * a, t = 0x8000001p0 * b, ah = s - (s - a), al = a - ah,
                     bh = t - (t - b), bl = b - bh;
        return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
    }

    friend constexpr double_double operator-(double_double a) { return {-a.hi, -a.lo}; }
    /// (s, e) and (t, f) are the exact sums of the upper and of the lower parts.
    friend constexpr double_double operator+(double_double a, double_double b) {
        double const s = a.hi + b.hi, v = s - a.hi, e = (a.hi - (s - v)) + (b.hi - v), t = a.lo + b.lo, w = t - a.lo,
                     f = (a.lo - (t - w)) + (b.lo - w), u = s + (e + t), rest = ((e + t) - (u - s)) + f, sum = u + rest;
        return {sum, rest - (sum - u)};
    }
    friend constexpr double_double operator-(double_double a, double_double b) { return a + -b; }
    friend constexpr double_double operator*(double_double a, double_double b) {
        double const p = a.hi * b.hi, s = 0x8000001p0 * a.hi, t = 0x8000001p0 * b.hi, ah = s - (s - a.hi),
                     al = a.hi - ah, bh = t - (t - b.hi), bl = b.hi - bh,
                     e = ((ah * bh - p) + ah * bl + al * bh) + al * bl, rest = e + (a.hi * b.lo + a.lo * b.hi),
                     sum = p + rest;
        return {sum, rest - (sum - p)};
    }
    friend constexpr double_double operator/(double_double a, double_double b) {
        double const q = a.hi / b.hi, rest = (a - b * q).hi / b.hi, sum = q + rest;
        return {sum, rest - (sum - q)};
    }
};

/// 2 to the power k, -1022 <= k <= 1023
constexpr double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

/// k where |x| = m 2^k and 1 <= m < 2; x is finite and not 0
constexpr int exponent_of(double x) {
    int const k = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023;
    return k > -1023 ? k : exponent_of(x * 0x1p54) - 54;
}

/// x 2^k, rounded once. What overflows is not multiplied: compilers refuse that in constants.
constexpr double scaled(double x, int k) {
    if (k > 1000) {
        constexpr double infinity = std::numeric_limits<double>::infinity(),
                         largest = std::numeric_limits<double>::max();
        double const y = x * 0x1p1000, rest = power_of_two(k < 2000 ? k - 1000 : 1000), bound = largest / rest;
        return y > bound ? infinity : y < -bound ? -infinity : y * rest;
    }
    if (k < -1000) return x * power_of_two(k > -1500 ? k + 500 : -1000) * 0x1p-500;
    return x * power_of_two(k);
}
constexpr double_double scaled(double_double x, int k) { return {scaled(x.hi, k), scaled(x.lo, k)}; }

/// The nearest integer; |x| is below 2^52.
constexpr double nearest(double x) { return x < 0 ? -nearest(-x) : (x + 0x1p52) - 0x1p52; }

/// c[first] + c[first + step] x + c[first + 2 step] x^2 + ..., of so many terms, each smaller than the one before
template <std::size_t N>
constexpr double_double power_series(std::array<double_double, N> const& coefficients, std::size_t first,
                                     std::size_t step, std::size_t terms, double_double x) {
    double_double const* c = coefficients.data() + first + step * (terms - 1);
    double const t = 0x8000001p0 * x.hi, xh = t - (t - x.hi), xl = x.hi - xh;
    double_double y = *c;
    for (std::size_t k = 1; k < terms; ++k) {
        c -= step;  // y = y x + c, as the operators above
        double const p = y.hi * x.hi, s = 0x8000001p0 * y.hi, yh = s - (s - y.hi), yl = y.hi - yh,
                     e = ((yh * xh - p) + yh * xl + yl * xh) + yl * xl + (y.hi * x.lo + y.lo * x.hi), u = p + c->hi,
                     v = u - p, rest = (p - (u - v)) + (c->hi - v) + (e + c->lo);
        y.hi = u + rest, y.lo = rest - (y.hi - u);
    }
    return y;
}

}  // namespace tapeless::detail::base_part
