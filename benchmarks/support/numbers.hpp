// SPDX-License-Identifier: MIT
#pragma once
// Numbers to compute with, and how far apart results are.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <type_traits>

/// Numbers that are the same on every machine.
template <class Array>
void fill(Array& array, double low, double high) {
    static std::minstd_rand random(12345);
    using T = std::remove_cvref_t<decltype(*array.begin())>;
    for (T& x : array) x = static_cast<T>(low + (high - low) * static_cast<double>(random()) / 2147483647.0);
}

/// The larger of two errors; NaN is the largest.
inline double worse(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

/// The largest difference.
template <class A, class B>
double absolute_difference(std::span<A const> a, std::span<B const> b) {
    double apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        apart = worse(apart, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return apart;
}

/// The largest difference, relative to the largest number.
template <class T>
double difference(std::span<T const> a, std::span<T const> b) {
    double const apart = absolute_difference(a, b);
    double largest = 0;
    for (T x : b) largest = std::max(largest, std::abs(static_cast<double>(x)));
    return apart == 0 ? 0 : apart / largest;
}
