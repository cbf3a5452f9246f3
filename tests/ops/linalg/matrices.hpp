// SPDX-License-Identifier: MIT
#pragma once
// Matrices to try things on, and how far two of them are apart.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
namespace la = ad::linalg;

template <class T>
using matrix_of = ad::tensor<T, ad::dyn, ad::dyn>;

/// Where blocks, halves and registers begin and end.
inline std::vector<std::int64_t> const all_sizes{0, 1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200};

/// Numbers between -1 and 1 without a pattern.
template <class T>
matrix_of<T> some_matrix(std::int64_t m, std::int64_t n, std::uint64_t seed = 1) {
    matrix_of<T> a(m, n);
    std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (T& v : a) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        v = static_cast<T>(static_cast<double>(state >> 11) / 4503599627370496.0 - 1);
    }
    return a;
}
/// One that is far from singular: whatever is on its diagonal is larger by some.
template <class T>
matrix_of<T> good_matrix(std::int64_t n, std::uint64_t seed = 1) {
    matrix_of<T> a = some_matrix<T>(n, n, seed);
    for (std::int64_t i = 0; i < n; ++i)
        a((i * 7 + 3) % std::max<std::int64_t>(n, 1), i) += static_cast<T>(std::sqrt(static_cast<double>(n)));
    return a;
}
/// Symmetric and positive definite.
template <class T>
matrix_of<T> spd_matrix(std::int64_t n, std::uint64_t seed = 1) {
    matrix_of<T> const a = some_matrix<T>(n, n, seed);
    matrix_of<T> s(n, n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            s(i, j) =
                (a(i, j) + a(j, i)) / 2 + (i == j ? static_cast<T>(2 * std::sqrt(static_cast<double>(n)) + 1) : T(0));
    return s;
}
template <class T>
matrix_of<T> unit_matrix(std::int64_t n) {
    matrix_of<T> e(n, n);
    for (std::int64_t i = 0; i < n; ++i) e(i, i) = 1;
    return e;
}

/// The largest difference; infinite where a number is none, or the sizes differ.
template <class A, class B>
double apart(A const& a, B const& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double const d = std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
        if (!(d <= worst)) worst = d == d ? d : std::numeric_limits<double>::infinity();
    }
    return worst;
}
/// Rounding errors that are no sign of anything, of matrices of n rows.
template <class T>
double rounding(std::int64_t n) {
    return 20 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (static_cast<double>(n) + 4);
}
