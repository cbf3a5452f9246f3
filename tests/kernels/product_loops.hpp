// SPDX-License-Identifier: MIT
#pragma once
// Matrix products written as loops, and matrices whose memory ends with their last element.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace loops {

namespace ad = tapeless;

/// A dense matrix in exactly as much memory as it needs: a sanitizer sees what is read or written beyond.
template <class T>
struct matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<T> elements;

    matrix() = default;
    matrix(std::size_t m, std::size_t n) : rows(m), columns(n), elements(m * n) {}
    T& operator()(std::size_t i, std::size_t j) { return elements[i * columns + j]; }
    T const& operator()(std::size_t i, std::size_t j) const { return elements[i * columns + j]; }
    ad::view<T, ad::dyn, ad::dyn> as_view() { return ad::view<T, ad::dyn, ad::dyn>(elements.data(), rows, columns); }
};

/// The same with extents the compiler knows.
template <class T, std::size_t M, std::size_t N>
struct fixed_matrix : matrix<T> {
    fixed_matrix() : matrix<T>(M, N) {}
};

/// Numbers that repeat from run to run.
struct numbers {
    std::uint32_t state = 1;
    std::uint32_t next() { return (state = state * 1664525u + 1013904223u) >> 8; }
    /// -7 ... 7 without 0: sums of their products are exact, so that every term is seen.
    template <class T>
    T integer() {
        auto const n = static_cast<int>(next() % 14);
        return static_cast<T>(n < 7 ? n - 7 : n - 6);
    }
    /// [-1, 1)
    template <class T>
    T uniform() {
        return static_cast<T>(static_cast<double>(next()) / 8388608.0 - 1);
    }
    void integers(auto& x) {
        for (auto& v : x) v = integer<std::remove_cvref_t<decltype(v)>>();
    }
    void uniforms(auto& x) {
        for (auto& v : x) v = uniform<std::remove_cvref_t<decltype(v)>>();
    }
};

/// a b
template <class Sum, class T>
matrix<Sum> multiply(matrix<T> const& a, matrix<T> const& b) {
    matrix<Sum> c(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k) {
            Sum const x = static_cast<Sum>(a(i, k));
            T const* const row = b.elements.data() + k * b.columns;
            Sum* const to = c.elements.data() + i * c.columns;
            for (std::size_t j = 0; j < b.columns; ++j) to[j] += x * static_cast<Sum>(row[j]);
        }
    return c;
}
template <class T>
matrix<T> transposed(matrix<T> const& a) {
    matrix<T> t(a.columns, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
    return t;
}

/// "" where all elements are equal, both NaN, or no further apart than `tolerance`; else a sentence about the first
/// that is not.
template <class T, class U>
std::string difference(matrix<T> const& actual, matrix<U> const& expected, double tolerance = 0) {
    if (actual.rows != expected.rows || actual.columns != expected.columns) return "the shapes differ";
    for (std::size_t i = 0; i < actual.elements.size(); ++i) {
        auto const x = static_cast<double>(actual.elements[i]), e = static_cast<double>(expected.elements[i]);
        if (x == e || (std::isnan(x) && std::isnan(e)) || std::abs(x - e) <= tolerance) continue;
        return "(" + std::to_string(i / actual.columns) + ", " + std::to_string(i % actual.columns) + ") is " +
               std::to_string(x) + ", expected " + std::to_string(e);
    }
    return {};
}

}  // namespace loops

/// Dense arguments and targets, as tensors are.
template <class T>
struct tapeless::detail::leaf_traits<loops::matrix<T>> : leaf_traits<tensor<T, dyn, dyn>> {
    static auto* data(auto& a) { return a.elements.data(); }
    static std::array<std::int64_t, 2> extents(auto const& a) {
        return {static_cast<std::int64_t>(a.rows), static_cast<std::int64_t>(a.columns)};
    }
};
template <class T, std::size_t M, std::size_t N>
struct tapeless::detail::leaf_traits<loops::fixed_matrix<T, M, N>> : leaf_traits<loops::matrix<T>> {
    using shape_type = canonical_shape<M, N>;
    using owner = tensor<T, static_cast<int>(M), static_cast<int>(N)>;
    static owner make(std::array<std::int64_t, 2> const& e) { return owner::uninitialized(e); }
};
