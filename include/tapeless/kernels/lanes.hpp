// SPDX-License-Identifier: MIT
#pragma once
// Small matrices, one in each lane of some registers: factors and solutions of as many systems at once as there are
// lanes.

#include <tapeless/kernels/lane_group.hpp>
#include <tapeless/kernels/lane_loops.hpp>
#include <tapeless/kernels/rows.hpp>

namespace tapeless::detail::inline kernels_part {

/// Matrices of n rows, n being N where that is not 0.
template <class T, int N, int W>
struct small_matrices {
    using number = lane_group<T, W>;
    static constexpr int L = number::lanes, R = W ? simd::lanes<T> : 1, most = N ? N : 16;
    using written_out = number[static_cast<std::size_t>(most)][static_cast<std::size_t>(most)];
    using matrix = std::conditional_t<N == 0, lane_matrix<number, most>, written_out>;
    using vector = number[static_cast<std::size_t>(most)];

    /// l with l lᵀ = (a + aᵀ)/2 in the place of a, 0 above the diagonal. Returns the least pivot of each lane, NaN
    /// where there is one. What is subtracted of column k is c cᵀ / pivot with c = l √pivot, so that no pivot waits for
    /// a root; 1 / pivot may be infinite where that is less than the least normal number (see short_factors).
    TAPELESS_CONFIG_INLINE static number cholesky(matrix& a, int n) {
        if constexpr (N == 0) return lane_loops<T, W, most>::cholesky(a, n);
        number const one = number::all(1), zero = number::all(0);
        number least = one;
        make_symmetric(a, n);
        each(n, [&](int k) TAPELESS_CONFIG_INLINE {
            least = number::least(least, a[k][k]);
            number const inverse = one / a[k][k], root = number::root(a[k][k]), by = root * inverse;
            each(k + 1, n, [&](int j) TAPELESS_CONFIG_INLINE {
                number const t = a[j][k] * inverse;
                each(j, n, [&](int i) TAPELESS_CONFIG_INLINE { a[i][j] = number::minus_product(a[i][j], a[i][k], t); });
            });
            a[k][k] = root;
            each(k + 1, n, [&](int i) TAPELESS_CONFIG_INLINE {
                a[i][k] = a[i][k] * by;
                a[k][i] = zero;
            });
        });
        return least;
    }
    /// (a + aᵀ)/2, on the diagonal and below.
    TAPELESS_CONFIG_INLINE static void make_symmetric(matrix& a, int n) {
        number const half = number::all(T(0.5));
        each(n, [&](int i) TAPELESS_CONFIG_INLINE {
            each(0, i, [&](int j) TAPELESS_CONFIG_INLINE { a[i][j] = half * (a[i][j] + a[j][i]); });
        });
    }

    /// What flows back through l lᵀ = a: the lower triangle of g becomes the derivative by that of a (see factors<T>).
    TAPELESS_CONFIG_INLINE static void cholesky_back(matrix const& l, matrix& g, int n) {
        number const one = number::all(1), half = number::all(T(0.5));
        each(n, [&](int s) TAPELESS_CONFIG_INLINE {
            int const j = (N ? N : n) - 1 - s;
            number const inverse = one / l[j][j];
            number sum = g[j][j];
            each(j + 1, n, [&](int i) TAPELESS_CONFIG_INLINE {
                g[i][j] = g[i][j] * inverse;
                sum = number::minus_product(sum, l[i][j], g[i][j]);
            });
            number const d = sum * inverse;
            each(0, j, [&](int k) TAPELESS_CONFIG_INLINE {
                g[j][k] = number::minus_product(g[j][k], d, l[j][k]);
                each(j + 1, n, [&](int i) TAPELESS_CONFIG_INLINE {
                    g[j][k] = number::minus_product(g[j][k], g[i][j], l[i][k]);
                    g[i][k] = number::minus_product(g[i][k], g[i][j], l[j][k]);
                });
            });
            g[j][j] = d * half;
        });
    }

    /// p a = l u in the place of a; row i of p a is row from[i] of a. Rows change places in the lanes where the lower
    /// one is larger.
    TAPELESS_CONFIG_INLINE static void lu(matrix& a, vector& from, int n) {
        bool changed = false;
        each(n, [&](int i) TAPELESS_CONFIG_INLINE { from[i] = number::all(static_cast<T>(i)); });
        if constexpr (N == 0) return lane_loops<T, W, most>::lu(a, from, n);
        each(n, [&](int k) TAPELESS_CONFIG_INLINE {
            each_below_pivot(a, k, n, changed, [&](int i) TAPELESS_CONFIG_INLINE {
                number::larger_first(a[k][k], a[i][k], [&](auto const& exchange) TAPELESS_CONFIG_INLINE {
                    each(n, [&](int j) TAPELESS_CONFIG_INLINE { exchange(a[k][j], a[i][j]); });
                    exchange(from[k], from[i]);
                });
            });
            number const inverse = number::inverse_or_one(a[k][k]);  // of 0: then all below are 0 too
            each(k + 1, n, [&](int i) TAPELESS_CONFIG_INLINE {
                number const factor = a[i][k] = a[i][k] * inverse;
                each(k + 1, n,
                     [&](int j) TAPELESS_CONFIG_INLINE { a[i][j] = number::minus_product(a[i][j], factor, a[k][j]); });
            });
        });
    }

    /// x = a⁻¹ x with pivots; a is overwritten, and its diagonal holds them. Nothing is kept of the factors but u,
    /// unless there is `from`, which begins as 0, 1, ... (see lu).
    template <bool Keep = false>
    TAPELESS_CONFIG_INLINE static void eliminate(matrix& a, vector& x, int n, number* from = nullptr) {
        vector inverse;
        bool changed = false;
        if constexpr (N == 0) {
            lane_loops<T, W, most>::template lu<true>(a, x, n, from);
            for (int i = 0; i < n; ++i) inverse[i] = number::inverse_or_one(a[i][i]);
            return lane_loops<T, W, most>::template solve<false, false>(a, inverse, x, n);
        }
        each(n, [&](int k) TAPELESS_CONFIG_INLINE {
            each_below_pivot(a, k, n, changed, [&](int i) TAPELESS_CONFIG_INLINE {
                number::larger_first(a[k][k], a[i][k], [&](auto const& exchange) TAPELESS_CONFIG_INLINE {
                    each(Keep ? 0 : k, n, [&](int j) TAPELESS_CONFIG_INLINE { exchange(a[k][j], a[i][j]); });
                    exchange(x[k], x[i]);
                    if constexpr (Keep) exchange(from[k], from[i]);
                });
            });
            inverse[k] = number::inverse_or_one(a[k][k]);
            each(k + 1, n, [&](int i) TAPELESS_CONFIG_INLINE {
                number const factor = a[i][k] * inverse[k];
                if constexpr (Keep) a[i][k] = factor;
                each(k + 1, n,
                     [&](int j) TAPELESS_CONFIG_INLINE { a[i][j] = number::minus_product(a[i][j], factor, a[k][j]); });
                x[i] = number::minus_product(x[i], factor, x[k]);
            });
        });
        each(n, [&](int s) TAPELESS_CONFIG_INLINE {
            int const i = (N ? N : n) - 1 - s;
            number sum = x[i];
            each(i + 1, n, [&](int j) TAPELESS_CONFIG_INLINE { sum = number::minus_product(sum, a[i][j], x[j]); });
            x[i] = sum * inverse[i];
        });
    }

    /// f(i) of the rows below k, where one of them is larger in column k, in any lane. Matrices of which rows have
    /// changed places once are not looked at again: such rows are rarely alone.
    template <class F>
    TAPELESS_CONFIG_INLINE static void each_below_pivot(matrix const& a, int k, int n, bool& changed, F const& f) {
        if (!changed) {
            number largest = number::all(0);
            each(k + 1, n, [&](int i) TAPELESS_CONFIG_INLINE { largest = number::larger_size(largest, a[i][k]); });
            if (!number::any_larger(largest, a[k][k])) return;
            changed = true;
        }
        each(k + 1, n, f);
    }

    /// x = t⁻¹ x, where t is a triangle of a, or of its transpose, and inverse holds what its diagonal is divided by.
    template <bool Lower, bool Transposed>
    TAPELESS_CONFIG_INLINE static void solve(matrix const& a, vector const& inverse, vector& x, int n) {
        if constexpr (N == 0) return lane_loops<T, W, most>::template solve<Lower, Transposed>(a, inverse, x, n);
        each(n, [&](int s) TAPELESS_CONFIG_INLINE {
            int const i = Lower ? s : (N ? N : n) - 1 - s;
            number sum = x[i];
            each(Lower ? 0 : i + 1, Lower ? i : n, [&](int j) TAPELESS_CONFIG_INLINE {
                sum = number::minus_product(sum, Transposed ? a[j][i] : a[i][j], x[j]);
            });
            x[i] = sum * inverse[i];
        });
    }

    /// The matrices at p, `step` apart. Those whose rows do not lie in one piece are copied first, so that there is one
    /// way into the registers.
    TAPELESS_CONFIG_INLINE static void load(matrix& a, matrix_view<T const> p, std::ptrdiff_t step, int n) {
        if constexpr (N == 0) {
            a.n = n;
            bool const dense = p.column == 1 && p.row == n;
            int const count = n * n;
            int i = 0;
            for (; dense && i + R <= count; i += R) load_dense<R>(a.at + i, p.at + i, step);
            for (; dense && i < count; ++i) a.at[i] = load_strided(p.at + i, step);
            for (; i < count; ++i) a.at[i] = load_strided(&p(i / n, i % n), step);
        } else {
            T room[static_cast<std::size_t>(L * N * N)];
            if (p.column != 1 || p.row != N) {
                for (int l = 0; l < L; ++l)
                    for (int i = 0; i < N; ++i)
                        for (int j = 0; j < N; ++j) room[(l * N + i) * N + j] = (&p(i, j))[l * step];
                p.at = room;
                step = N * N;
            }
            load_dense<N * N>(&a[0][0], p.at, step);
        }
    }
    /// The first vector of right-hand sides at p.
    TAPELESS_CONFIG_INLINE static void load(vector& x, matrix_view<T const> p, std::ptrdiff_t step, int n) {
        if constexpr (N > 0) {
            if (p.row == 1) return load_dense<N>(&x[0], p.at, step);
        }
        each(n, [&](int i) TAPELESS_CONFIG_INLINE { x[i] = load_strided(&p(i, 0), step); });
    }
    TAPELESS_CONFIG_INLINE static void store(matrix_view<T> p, std::ptrdiff_t step, matrix const& a, int n) {
        if constexpr (N == 0) {
            bool const dense = p.column == 1 && p.row == n;
            int const count = n * n;
            int i = 0;
            for (int l = 0; l < L && dense; ++l) will_write(p.at + l * step, count);
            for (; dense && i + R <= count; i += R) store_dense<R, false>(p.at + i, step, a.at + i);
            for (; dense && i < count; ++i) store_strided(p.at + i, step, a.at[i]);
            for (; i < count; ++i) store_strided(&p(i / n, i % n), step, a.at[i]);
        } else {
            T room[static_cast<std::size_t>(L * N * N)];
            bool const dense = p.column == 1 && p.row == N;
            store_dense<N * N>(dense ? p.at : room, dense ? step : N * N, &a[0][0]);
            if (dense) return;
            for (int l = 0; l < L; ++l)
                for (int i = 0; i < N; ++i)
                    for (int j = 0; j < N; ++j) (&p(i, j))[l * step] = room[(l * N + i) * N + j];
        }
    }
    TAPELESS_CONFIG_INLINE static void store(matrix_view<T> p, std::ptrdiff_t step, vector const& x, int n) {
        if constexpr (N > 0) {
            if (p.row == 1) return store_dense<N>(p.at, step, &x[0]);
        }
        each(n, [&](int i) TAPELESS_CONFIG_INLINE { store_strided(&p(i, 0), step, x[i]); });
    }
    TAPELESS_CONFIG_INLINE static number load_strided(T const* p, std::ptrdiff_t step) {
        if constexpr (W == 0) return {{*p}};
        else
            return number::each(
                [&](int v) TAPELESS_CONFIG_INLINE { return simd::load_strided(p + v * simd::lanes<T> * step, step); });
    }
    TAPELESS_CONFIG_INLINE static void store_strided(T* p, std::ptrdiff_t step, number const& x) {
        if constexpr (W == 0) *p = x.v[0];
        else
            number::both([&](int v) TAPELESS_CONFIG_INLINE {
                simd::store_strided(p + v * simd::lanes<T> * step, step, x.v[v]);
            });
    }

    /// f(from), ..., f(to - 1), written out where n is known; f(0), ..., f(n - 1).
    template <class F>
    TAPELESS_CONFIG_INLINE static void each(int from, int to, F const& f) {
        if constexpr (N > 0)
            write_out<N>([&](int i) TAPELESS_CONFIG_INLINE {
                if (i >= from && i < to) f(i);
            });
        else
            for (int i = from; i < to; ++i) f(i);
    }
    template <class F>
    TAPELESS_CONFIG_INLINE static void each(int n, F const& f) {
        if constexpr (N > 0) write_out<N>(f);
        else
            for (int i = 0; i < n; ++i) f(i);
    }

private:
    /// Count elements that lie in one piece, in every lane `step` further: as many at a time as there are lanes,
    /// transposed.
    template <int Count>
    TAPELESS_CONFIG_INLINE static void load_dense(number* to, T const* p, std::ptrdiff_t step) {
        if constexpr (W == 0) write_out<Count>([&](int i) TAPELESS_CONFIG_INLINE { to[i].v[0] = p[i]; });
        else {
            write_out<W>([&](int v) TAPELESS_CONFIG_INLINE {
                T const* const first = p + v * R * step;
                write_out<Count / R>([&](int c) TAPELESS_CONFIG_INLINE {
                    simd::detail::vec<T> r[static_cast<std::size_t>(R)];
                    write_out<R>([&](int l) TAPELESS_CONFIG_INLINE {
                        r[l] = simd::detail::raw(simd::load(first + l * step + c * R));
                    });
                    pack_detail::transpose<T>(r);
                    write_out<R>([&](int l)
                                     TAPELESS_CONFIG_INLINE { to[c * R + l].v[v] = simd::detail::wrap<T>(r[l]); });
                });
                write_out<Count % R>([&](int c) TAPELESS_CONFIG_INLINE {
                    int const i = Count / R * R + c;
                    to[i].v[v] = simd::load_strided(first + i, step);
                });
            });
        }
    }
    /// Tells the cache of n elements that come soon, perhaps behind the end of an array.
    TAPELESS_CONFIG_INLINE static void will_write(T* p, int n) {
        auto const ahead = reinterpret_cast<std::uintptr_t>(p) + machine::written_ahead;
        for (int i = 0; i < n * static_cast<int>(sizeof(T)); i += machine::cache_line)
            __builtin_prefetch(reinterpret_cast<void const*>(ahead + static_cast<std::uintptr_t>(i)), 1);
    }
    template <int Count, bool Ahead = true>
    TAPELESS_CONFIG_INLINE static void store_dense(T* p, std::ptrdiff_t step, number const* from) {
        if constexpr (W == 0) write_out<Count>([&](int i) TAPELESS_CONFIG_INLINE { p[i] = from[i].v[0]; });
        else {
            // matrix after matrix: stores in the order of addresses need not read what they overwrite
            constexpr int chunks = Count / R;
            write_out<W>([&](int v) TAPELESS_CONFIG_INLINE {
                simd::detail::vec<T> r[static_cast<std::size_t>(chunks + 1)][static_cast<std::size_t>(R)];
                write_out<chunks>([&](int c) TAPELESS_CONFIG_INLINE {
                    write_out<R>([&](int l)
                                     TAPELESS_CONFIG_INLINE { r[c][l] = simd::detail::raw(from[c * R + l].v[v]); });
                    pack_detail::transpose<T>(r[c]);
                });
                write_out<R>([&](int l) TAPELESS_CONFIG_INLINE {
                    T* const to = p + (v * R + l) * step;
                    if constexpr (Ahead) will_write(to, Count);
                    write_out<chunks>(
                        [&](int c) TAPELESS_CONFIG_INLINE { simd::store(to + c * R, simd::detail::wrap<T>(r[c][l])); });
                    write_out<Count % R>([&](int c) TAPELESS_CONFIG_INLINE {
                        int const i = chunks * R + c;
                        to[i] = simd::detail::raw(from[i].v[v])[l];
                    });
                });
            });
        }
    }
};

}  // namespace tapeless::detail::kernels_part
