// SPDX-License-Identifier: MIT
#pragma once
// Numbers of about 104 bits, each the sum of two doubles: for constants that the compiler has to round rightly.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tapeless::detail {

/// hi + lo, where hi is the nearest double to the sum. Statements are few: a compiler may count them.
struct double_double {
    double hi = 0, lo = 0;

    constexpr double_double() = default;
    constexpr double_double(double high, double low = 0) : hi(high), lo(low) {}

    /// a + b where |a| >= |b|
    static constexpr double_double ordered_sum(double a, double b) { return {a + b, b - ((a + b) - a)}; }
    /// a + b, exactly
    static constexpr double_double sum(double a, double b) {
        double const s = a + b, v = s - a;
        return {s, (a - (s - v)) + (b - v)};
    }
    /// a * b, exactly (Dekker): each factor is split into halves of 26 bits
    static constexpr double_double product(double a, double b) {
        double const p = a * b, s = 0x8000001p0 * a, t = 0x8000001p0 * b;
        double const ah = s - (s - a), al = a - ah, bh = t - (t - b), bl = b - bh;
        return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
    }

    friend constexpr double_double operator-(double_double a) { return {-a.hi, -a.lo}; }
    friend constexpr double_double operator+(double_double a, double_double b) {
        double_double const s = sum(a.hi, b.hi), t = sum(a.lo, b.lo), u = ordered_sum(s.hi, s.lo + t.hi);
        return ordered_sum(u.hi, u.lo + t.lo);
    }
    friend constexpr double_double operator-(double_double a, double_double b) { return a + -b; }
    friend constexpr double_double operator*(double_double a, double_double b) {
        double_double const p = product(a.hi, b.hi);
        return ordered_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
    }
    friend constexpr double_double operator/(double_double a, double_double b) {
        double const q = a.hi / b.hi;
        return ordered_sum(q, (a - b * q).hi / b.hi);
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
        constexpr double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
        double const y = x * 0x1p1000, rest = power_of_two(k < 2000 ? k - 1000 : 1000), bound = largest / rest;
        return y > bound ? infinity : y < -bound ? -infinity : y * rest;
    }
    if (k < -1000) return x * power_of_two(k > -1500 ? k + 500 : -1000) * 0x1p-500;
    return x * power_of_two(k);
}
constexpr double_double scaled(double_double x, int k) { return {scaled(x.hi, k), scaled(x.lo, k)}; }

/// The nearest integer; |x| is below 2^52.
constexpr double nearest(double x) { return x < 0 ? -nearest(-x) : (x + 0x1p52) - 0x1p52; }

/// c[first] + c[first + step] x + c[first + 2 step] x^2 + ..., of so many terms
template <std::size_t N>
constexpr double_double power_series(std::array<double_double, N> const& c, std::size_t first, std::size_t step,
                                     std::size_t terms, double_double x) {
    double_double y = c[first + step * (terms - 1)];
    for (std::size_t k = terms - 1; k-- > 0;) y = y * x + c[first + step * k];
    return y;
}

}  // namespace tapeless::detail
