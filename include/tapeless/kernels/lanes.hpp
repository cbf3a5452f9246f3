// SPDX-License-Identifier: MIT
#pragma once
// Small matrices, one in each lane of a register: factors and solutions of as many systems at once as there are lanes.

#include <type_traits>

#include <tapeless/kernels/loop_nest.hpp>
#include <tapeless/kernels/rows.hpp>

namespace tapeless::detail {

/// Matrices of n rows, n being N where that is not 0.
template <class T, int N, class Build = simd::batch<T>>
struct small_matrices {
    static constexpr int L = simd::lanes<T>, most = N ? N : 16;
    using number = simd::batch<T>;
    using matrix = number[static_cast<std::size_t>(most)][static_cast<std::size_t>(most)];
    using vector = number[static_cast<std::size_t>(most)];

    /// l with l lᵀ = a in the place of a, below and on the diagonal. Returns the least pivot of each lane, NaN where there is
    /// one.
    TAPELESS_CONFIG_INLINE static number cholesky(matrix& a, int n) {
        number least(T(1));
        each(n, [&](int k) TAPELESS_CONFIG_INLINE {
            least = simd::minimum(least, a[k][k]);
            a[k][k] = simd::sqrt(a[k][k]);
            number const inverse = simd::div(number(T(1)), a[k][k]);
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                if (i > k) a[i][k] = simd::mul(a[i][k], inverse);
            });
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                    if (j > k && j <= i) a[i][j] = simd::fnma(a[i][k], a[j][k], a[i][j]);
                });
            });
        });
        return least;
    }

    /// p a = l u in the place of a; row i of p a is row from[i] of a. Rows change places in the lanes where the lower one is
    /// larger.
    TAPELESS_CONFIG_INLINE static void lu(matrix& a, vector& from, int n) {
        each(n, [&](int i) TAPELESS_CONFIG_INLINE { from[i] = number(static_cast<T>(i)); });
        each(n, [&](int k) TAPELESS_CONFIG_INLINE {
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                if (i <= k) return;
                auto const larger = simd::less(simd::abs(a[k][k]), simd::abs(a[i][k]));
                each(n, [&](int j) TAPELESS_CONFIG_INLINE { exchange(larger, a[k][j], a[i][j]); });
                exchange(larger, from[k], from[i]);
            });
            number const one(T(1));
            auto const none = simd::equal(a[k][k], number(T(0)));  // then all below are 0 too
            number const inverse = simd::div(one, simd::select(none, one, a[k][k]));
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                if (i <= k) return;
                a[i][k] = simd::mul(a[i][k], inverse);
                each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                    if (j > k) a[i][j] = simd::fnma(a[i][k], a[k][j], a[i][j]);
                });
            });
        });
    }

    /// x = t⁻¹ x, where t is a triangle of a, or of its transpose, and inverse holds what its diagonal is divided by.
    template <bool Lower, bool Transposed>
    TAPELESS_CONFIG_INLINE static void solve(matrix const& a, vector const& inverse, vector& x, int n) {
        each(n, [&](int s) TAPELESS_CONFIG_INLINE {
            int const i = Lower ? s : (N ? N : n) - 1 - s;
            each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                if (Lower ? j < i : j > i) x[i] = simd::fnma(Transposed ? a[j][i] : a[i][j], x[j], x[i]);
            });
            x[i] = simd::mul(x[i], inverse[i]);
        });
    }

    /// The matrices at p, `step` apart.
    TAPELESS_CONFIG_INLINE static void load(matrix& a, matrix_view<T const> p, std::ptrdiff_t step, int n) {
        each(n, [&](int i) TAPELESS_CONFIG_INLINE {
            each(n, [&](int j) TAPELESS_CONFIG_INLINE { a[i][j] = simd::load_strided(&p(i, j), step); });
        });
    }

    /// f(0), ..., f(n - 1), written out where n is known.
    template <class F>
    TAPELESS_CONFIG_INLINE static void each(int n, F const& f) {
        if constexpr (N > 0) repeat<N>(f);
        else
            for (int i = 0; i < n; ++i) f(i);
    }

private:
    template <class M>
    TAPELESS_CONFIG_INLINE static void exchange(M m, number& x, number& y) {
        number const t = simd::select(m, y, x);
        y = simd::select(m, x, y);
        x = t;
    }
};

/// f(small_matrices<T, n>{}) with n as a constant where it is one of the sizes that geometry is made of.
template <class T, class F>
void with_small_matrices(std::int64_t n, F const& f) {
    switch (n) {
        case 2: return f(small_matrices<T, 2>{});
        case 3: return f(small_matrices<T, 3>{});
        case 4: return f(small_matrices<T, 4>{});
        case 6: return f(small_matrices<T, 6>{});
        default: return f(small_matrices<T, 0>{});
    }
}
/// Whether matrices of n rows are better done in lanes: if there are many of them, or they are very small.
template <class T, int Arrays, class Build = simd::batch<T>>
bool fits_lanes(std::int64_t n, loop_nest<Arrays> const& nest) {
    return n <= 4 || (n <= 16 && nest.inner() >= simd::lanes<T>);
}
/// f(offsets of the first matrices, strides from one to the next, their number in the batch, how many): L of them at a time, and
/// those that are left one by one, then with strides of 0.
template <class T, int Arrays, class F>
void each_in_lanes(loop_nest<Arrays> const& nest, F const& f) {
    constexpr int L = simd::lanes<T>;
    std::int64_t matrix = 0;
    nest.each(1, [&](std::ptrdiff_t const* offset) {
        std::ptrdiff_t at[static_cast<std::size_t>(Arrays)], step[static_cast<std::size_t>(Arrays)],
            none[static_cast<std::size_t>(Arrays)]{};
        for (int j = 0; j < Arrays; ++j) at[j] = offset[j], step[j] = nest.inner_stride(j);
        std::int64_t const count = nest.inner();
        for (std::int64_t i = 0; i < count;) {
            int const some = i + L <= count ? L : 1;
            f(static_cast<std::ptrdiff_t const*>(at), static_cast<std::ptrdiff_t const*>(some == 1 ? none : step), matrix + i,
              some);
            for (int j = 0; j < Arrays; ++j) at[j] += some * step[j];
            i += some;
        }
        matrix += count;
    });
}

}  // namespace tapeless::detail
