// SPDX-License-Identifier: MIT
#pragma once
// The factor of Cholesky of one matrix of few rows, in a copy whose rows are whole registers: nothing is left over, and
// no workspace is needed.

#include <limits>

#include <tapeless/kernels/rows.hpp>

namespace tapeless::detail {

template <class T, class Build = simd::batch<T>>
struct short_factors {
    static constexpr int L = simd::lanes<T>, most = 16, width = most > L ? most : L;
    using batch = simd::batch<T>;
    /// Rows of `width` numbers. What is beyond the matrix may be anything, but must have been written.
    struct alignas(64) square {
        T at[static_cast<std::size_t>(most * width)];
        T* operator[](int i) { return at + i * width; }
    };

    /// a = uᵀ u with u upper triangular in its place: four rows at a time. `root` is its diagonal, which in u itself is
    /// less exact. False where a pivot is not positive, or so small that its inverse may be infinite.
    static bool cholesky(square& a, T* root, int n) {
        for (int i = n; i % 4 != 0; ++i) {  // rows of the unit matrix make the last ones four
            for (int j = 0; j < width; ++j) a[i][j] = 0;
            for (int j = 0; j < n; ++j) a[j][i] = 0;
            a[i][i] = 1;
        }
        T least = 1;
        for (int k = 0; k < n; k += 4) {
            int const first = k / L, last = (n - 1 < k + 3 ? k + 3 : n - 1) / L;
            for (int b = first; b <= last && k > 0; ++b) subtract_rows_above(a, k, b * L);
            four_rows(a, root, k, first, last, least);
        }
        return least >= std::numeric_limits<T>::min();
    }

private:
    static void subtract_rows_above(square& a, int k, int column) {
        T* const to = a[k] + column;
        batch sum[4];
        repeat<4>([&](int r) TAPELESS_CONFIG_INLINE { sum[r] = simd::load(static_cast<T const*>(to + r * width)); });
        for (int p = 0; p < k; ++p) {
            T const* const above = a[p];
            batch const x = simd::load(above + column);
            repeat<4>([&](int r) TAPELESS_CONFIG_INLINE { sum[r] = simd::fnma(batch(above[k + r]), x, sum[r]); });
        }
        repeat<4>([&](int r) TAPELESS_CONFIG_INLINE { simd::store(to + r * width, sum[r]); });
    }
    /// Rows k ... k + 3 divided by the factor of their own four columns. No pivot waits for a root (see
    /// small_matrices::cholesky).
    static void four_rows(square& a, T* root, int k, int first, int last, T& least) {
        T d[4][4], by[4];
        repeat<4>([&](int r) TAPELESS_CONFIG_INLINE {
            repeat<4>([&](int c) TAPELESS_CONFIG_INLINE { d[r][c] = a[k + r][k + c]; });
        });
        repeat<4>([&](int r) TAPELESS_CONFIG_INLINE {
            T const pivot = d[r][r], inverse = 1 / pivot;
            least = pivot < least || !(pivot > 0) ? pivot : least;
            repeat<4>([&](int i) TAPELESS_CONFIG_INLINE {
                if (i <= r) return;
                T const t = d[r][i] * inverse;
                repeat<4>([&](int c) TAPELESS_CONFIG_INLINE {
                    if (c >= i) d[i][c] -= t * d[r][c];
                });
            });
            root[k + r] = static_cast<T>(simd::sqrt(pivot));
            by[r] = root[k + r] * inverse;
            repeat<4>([&](int c) TAPELESS_CONFIG_INLINE {
                if (c > r) d[r][c] *= by[r];
            });
        });
        for (int b = first; b <= last; ++b) {
            T* const to = a[k] + b * L;
            batch x[4];
            repeat<4>([&](int r) TAPELESS_CONFIG_INLINE {
                x[r] = simd::load(static_cast<T const*>(to + r * width));
                repeat<4>([&](int c) TAPELESS_CONFIG_INLINE {
                    if (c < r) x[r] = simd::fnma(batch(d[c][r]), x[c], x[r]);
                });
                x[r] = simd::mul(x[r], batch(by[r]));
                simd::store(to + r * width, x[r]);
            });
        }
    }
};

}  // namespace tapeless::detail
