// SPDX-License-Identifier: MIT
#pragma once
// The factor of Cholesky of one matrix of few rows, in a copy whose rows are whole registers: nothing is left over, and
// no workspace is needed.

#include <limits>

#include <tapeless/kernels/rows.hpp>

namespace tapeless::detail::inline kernels_part {

template <class T, class Build = simd::batch<T>>
struct short_factors {
    static constexpr int L = simd::lanes<T>, unit = L > 4 ? L : 4, most = 64;  // rows: 32 KB on the stack
    using batch = simd::batch<T>;
    /// Rows in whole registers, as many as are done at a time. What is right of the matrix may be anything, but must
    /// have been written.
    struct alignas(64) square {
        T at[static_cast<std::size_t>(most * most)];
        int row;
        explicit square(int n) : row((n + unit - 1) / unit * unit) {
            for (int i = 0; i < n; ++i)
                for (int j = n; j < row; ++j) at[i * row + j] = 0;
        }
        T* operator[](int i) { return at + i * row; }
    };

    /// a = uᵀ u with u upper triangular in its place: four rows at a time. `root` is its diagonal, which in u itself is
    /// less exact, and has room for `most`. False where a pivot is not positive, or so small that its inverse may be
    /// infinite.
    static bool cholesky(square& a, T* root, int n) {
        for (int i = n; i % 4 != 0; ++i) {  // rows of the unit matrix make the last ones four
            for (int j = 0; j < a.row; ++j) a[i][j] = 0;
            a[i][i] = 1;
        }
        T least = 1;
        for (int k = 0; k < n; k += 4) {
            int const first = k / L, end = a.row / L;
            int b = first;
            for (; b + 4 <= end && k > 0; b += 4) subtract_rows_above<4>(a, k, b * L);
            for (; b < end && k > 0; ++b) subtract_rows_above<1>(a, k, b * L);
            four_rows(a, root, k, first, end - 1, least);
        }
        return least >= std::numeric_limits<T>::min();
    }
    /// The same of a matrix whose pivots may be as small as numbers can be. Returns the first that is not positive, and
    /// sets `value` to it; n if there is none.
    [[gnu::noinline, gnu::cold]] static int cholesky_of_tiny(square& a, int n, double& value) {
        for (int k = 0; k < n; ++k) {
            T* const x = a[k];
            if (!(x[k] > 0)) return value = static_cast<double>(x[k]), k;
            x[k] = static_cast<T>(simd::sqrt(x[k]));
            for (int j = k + 1; j < n; ++j) x[j] /= x[k];
            for (int i = k + 1; i < n; ++i)
                for (int j = i; j < n; ++j) a[i][j] -= x[i] * x[j];
        }
        return n;
    }

private:
    /// V registers of each of four rows.
    template <int V>
    static void subtract_rows_above(square& a, int k, int column) {
        T* const to = a[k] + column;
        std::ptrdiff_t const row = a.row;
        batch sum[4][static_cast<std::size_t>(V)];
        repeat<4>([&](int r) TAPELESS_CONFIG_INLINE {
            repeat<V>([&](int v) TAPELESS_CONFIG_INLINE {
                sum[r][v] = simd::load(static_cast<T const*>(to + r * row + v * L));
            });
        });
        for (int p = 0; p < k; ++p) {
            T const* const above = a[p];
            batch x[static_cast<std::size_t>(V)];
            repeat<V>([&](int v) TAPELESS_CONFIG_INLINE { x[v] = simd::load(above + column + v * L); });
            repeat<4>([&](int r) TAPELESS_CONFIG_INLINE {
                batch const f(above[k + r]);
                repeat<V>([&](int v) TAPELESS_CONFIG_INLINE { sum[r][v] = simd::fnma(f, x[v], sum[r][v]); });
            });
        }
        repeat<4>([&](int r) TAPELESS_CONFIG_INLINE {
            repeat<V>([&](int v) TAPELESS_CONFIG_INLINE { simd::store(to + r * row + v * L, sum[r][v]); });
        });
    }
    /// Rows k ... k + 3 divided by the factor of their own four columns. No pivot waits for a root (see
    /// small_matrices::cholesky).
    static void four_rows(square& a, T* root, int k, int first, int last, T& least) {
        T d[4][4], by[4];
        std::ptrdiff_t const row = a.row;
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
                x[r] = simd::load(static_cast<T const*>(to + r * row));
                repeat<4>([&](int c) TAPELESS_CONFIG_INLINE {
                    if (c < r) x[r] = simd::fnma(batch(d[c][r]), x[c], x[r]);
                });
                x[r] = simd::mul(x[r], batch(by[r]));
                simd::store(to + r * row, x[r]);
            });
        }
    }
};

}  // namespace tapeless::detail::kernels_part
