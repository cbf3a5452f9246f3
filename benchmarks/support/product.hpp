// SPDX-License-Identifier: MIT
#pragma once
// The three products of matrices that a gradient needs, and plain loops that compute them.

#include <cstddef>
#include <cstdint>

/// Which operand is stored transposed. Everything is row-major.
enum class form { plain, right_transposed, left_transposed };

constexpr char const* name_of(form f) {
    return f == form::plain ? "A*B" : f == form::right_transposed ? "A*B^T" : "A^T*B";
}

/// The result has m rows and n columns; each element is a sum of k products.
struct product_size {
    std::int64_t m, k, n;
    double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n); }
};

/// An extent of a product that the compiler does not know.
inline constexpr int run_time = -1;

/// Takes part in no comparison: in place of a library that is not installed.
template <class T>
struct absent_product {
    static constexpr bool present = false;
    absent_product(product_size, T const*, T const*) {}
    T run() { return T(0); }
    T const* result() const { return nullptr; }
};

/// c = a b. Where the sizes are constants after inlining, the compiler may unroll and vectorise.
struct product_by_loops {
    template <form F, class T>
    [[gnu::always_inline]] static void multiply(product_size s, T const* __restrict a, T const* __restrict b,
                                                T* __restrict c) {
        auto const left = [&](std::int64_t i, std::int64_t p) {
            return F == form::plain ? a[i * s.k + p] : a[p * s.m + i];
        };
        for (std::int64_t i = 0; i < s.m; ++i) {
            T* const row = c + i * s.n;
            if constexpr (F == form::right_transposed) {
                for (std::int64_t j = 0; j < s.n; ++j) {
                    T sum = 0;
                    for (std::int64_t p = 0; p < s.k; ++p) sum += a[i * s.k + p] * b[j * s.k + p];
                    row[j] = sum;
                }
            } else {
                // Everything is read in the order in which it lies; four rows of b for each time that c is read.
                for (std::int64_t j = 0; j < s.n; ++j) row[j] = 0;
                std::int64_t p = 0;
                for (; p + 4 <= s.k; p += 4) {
                    T const x0 = left(i, p), x1 = left(i, p + 1), x2 = left(i, p + 2), x3 = left(i, p + 3);
                    T const *b0 = b + p * s.n, *b1 = b0 + s.n, *b2 = b1 + s.n, *b3 = b2 + s.n;
                    for (std::int64_t j = 0; j < s.n; ++j)
                        row[j] = row[j] + x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j];
                }
                for (; p < s.k; ++p)
                    for (std::int64_t j = 0; j < s.n; ++j) row[j] += left(i, p) * b[p * s.n + j];
            }
        }
    }
};
