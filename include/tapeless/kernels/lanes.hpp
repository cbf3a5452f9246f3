// SPDX-License-Identifier: MIT
#pragma once
// Small matrices, one in each lane of some registers: factors and solutions of as many systems at once as there are
// lanes.

#include <tapeless/kernels/lane_group.hpp>
#include <tapeless/kernels/loop_nest.hpp>
#include <tapeless/kernels/rows.hpp>

namespace tapeless::detail {

/// Matrices of n rows, n being N where that is not 0.
template <class T, int N, int W>
struct small_matrices {
    using number = lane_group<T, W>;
    static constexpr int L = number::lanes, most = N ? N : 16;
    using matrix = number[static_cast<std::size_t>(most)][static_cast<std::size_t>(most)];
    using vector = number[static_cast<std::size_t>(most)];

    /// l with l lᵀ = a in the place of a, below and on the diagonal. Returns the least pivot of each lane, NaN where
    /// there is one. What is subtracted of column k is c cᵀ / pivot with c = l √pivot, so that no pivot waits for a
    /// root; 1 / pivot may be infinite where that is less than the least normal number (see cholesky_of_tiny).
    TAPELESS_CONFIG_INLINE static number cholesky(matrix& a, int n) {
        number const one = number::all(1);
        number least = one;
        each(n, [&](int k) TAPELESS_CONFIG_INLINE {
            least = number::least(least, a[k][k]);
            number const inverse = one / a[k][k], root = number::root(a[k][k]), by = root * inverse;
            each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                if (j <= k) return;
                number const t = a[j][k] * inverse;
                each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                    if (i >= j) a[i][j] = number::minus_product(a[i][j], a[i][k], t);
                });
            });
            a[k][k] = root;
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                if (i > k) a[i][k] = a[i][k] * by;
            });
        });
        return least;
    }
    /// The same of one matrix, whose pivots may be as small as numbers can be. Returns the first that is not positive,
    /// and sets `value` to it; n if there is none.
    [[gnu::noinline, gnu::cold]] static int cholesky_of_tiny(matrix& a, int n, double& value) requires(W == 0) {
        for (int k = 0; k < n; ++k) {
            if (!(a[k][k].v[0] > 0)) return value = static_cast<double>(a[k][k].v[0]), k;
            a[k][k] = number::root(a[k][k]);
            for (int i = k + 1; i < n; ++i) {
                a[i][k] = a[i][k] / a[k][k];
                for (int j = k + 1; j <= i; ++j) a[i][j] = number::minus_product(a[i][j], a[i][k], a[j][k]);
            }
        }
        return n;
    }

    /// What flows back through l lᵀ = a: the lower triangle of g becomes the derivative by that of a (see factors<T>).
    TAPELESS_CONFIG_INLINE static void cholesky_back(matrix const& l, matrix& g, int n) {
        number const one = number::all(1), half = number::all(T(0.5));
        each(n, [&](int s) TAPELESS_CONFIG_INLINE {
            int const j = (N ? N : n) - 1 - s;
            number const inverse = one / l[j][j];
            number sum = g[j][j];
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                if (i <= j) return;
                g[i][j] = g[i][j] * inverse;
                sum = number::minus_product(sum, l[i][j], g[i][j]);
            });
            number const d = sum * inverse;
            each(n, [&](int k) TAPELESS_CONFIG_INLINE {
                if (k >= j) return;
                g[j][k] = number::minus_product(g[j][k], d, l[j][k]);
                each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                    if (i <= j) return;
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
        each(n, [&](int k) TAPELESS_CONFIG_INLINE {
            each_below_pivot(a, k, n, changed, [&](int i) TAPELESS_CONFIG_INLINE {
                number::larger_first(a[k][k], a[i][k], [&](auto const& exchange) TAPELESS_CONFIG_INLINE {
                    each(n, [&](int j) TAPELESS_CONFIG_INLINE { exchange(a[k][j], a[i][j]); });
                    exchange(from[k], from[i]);
                });
            });
            number const inverse = number::inverse_or_one(a[k][k]);  // of 0: then all below are 0 too
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                if (i <= k) return;
                a[i][k] = a[i][k] * inverse;
                each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                    if (j > k) a[i][j] = number::minus_product(a[i][j], a[i][k], a[k][j]);
                });
            });
        });
    }

    /// x = a⁻¹ x with pivots; a is overwritten, and its diagonal holds them. Nothing is kept of the factors but u.
    TAPELESS_CONFIG_INLINE static void eliminate(matrix& a, vector& x, int n) {
        vector inverse;
        bool changed = false;
        each(n, [&](int k) TAPELESS_CONFIG_INLINE {
            each_below_pivot(a, k, n, changed, [&](int i) TAPELESS_CONFIG_INLINE {
                number::larger_first(a[k][k], a[i][k], [&](auto const& exchange) TAPELESS_CONFIG_INLINE {
                    each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                        if (j >= k) exchange(a[k][j], a[i][j]);
                    });
                    exchange(x[k], x[i]);
                });
            });
            inverse[k] = number::inverse_or_one(a[k][k]);
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                if (i <= k) return;
                number const factor = a[i][k] * inverse[k];
                each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                    if (j > k) a[i][j] = number::minus_product(a[i][j], factor, a[k][j]);
                });
                x[i] = number::minus_product(x[i], factor, x[k]);
            });
        });
        each(n, [&](int s) TAPELESS_CONFIG_INLINE {
            int const i = (N ? N : n) - 1 - s;
            each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                if (j > i) x[i] = number::minus_product(x[i], a[i][j], x[j]);
            });
            x[i] = x[i] * inverse[i];
        });
    }

    /// f(i) of the rows below k, where one of them is larger in column k, in any lane. Matrices of which rows have
    /// changed places once are not looked at again: such rows are rarely alone.
    template <class F>
    TAPELESS_CONFIG_INLINE static void each_below_pivot(matrix const& a, int k, int n, bool& changed, F const& f) {
        if (!changed) {
            number largest = number::all(0);
            each(n, [&](int i) TAPELESS_CONFIG_INLINE {
                if (i > k) largest = number::larger_size(largest, a[i][k]);
            });
            if (!number::any_larger(largest, a[k][k])) return;
            changed = true;
        }
        each(n, [&](int i) TAPELESS_CONFIG_INLINE {
            if (i > k) f(i);
        });
    }

    /// x = t⁻¹ x, where t is a triangle of a, or of its transpose, and inverse holds what its diagonal is divided by.
    template <bool Lower, bool Transposed>
    TAPELESS_CONFIG_INLINE static void solve(matrix const& a, vector const& inverse, vector& x, int n) {
        each(n, [&](int s) TAPELESS_CONFIG_INLINE {
            int const i = Lower ? s : (N ? N : n) - 1 - s;
            each(n, [&](int j) TAPELESS_CONFIG_INLINE {
                if (Lower ? j < i : j > i) x[i] = number::minus_product(x[i], Transposed ? a[j][i] : a[i][j], x[j]);
            });
            x[i] = x[i] * inverse[i];
        });
    }

    /// The matrices at p, `step` apart. Those whose rows do not lie in one piece are copied first, so that there is one
    /// way into the registers.
    TAPELESS_CONFIG_INLINE static void load(matrix& a, matrix_view<T const> p, std::ptrdiff_t step, int n) {
        if constexpr (N == 0) {
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) a[i][j] = load_strided(&p(i, j), step);
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
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) store_strided(&p(i, j), step, a[i][j]);
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

    /// f(0), ..., f(n - 1), written out where n is known.
    template <class F>
    TAPELESS_CONFIG_INLINE static void each(int n, F const& f) {
        if constexpr (N > 0) unroll<N>([&](auto i) TAPELESS_CONFIG_INLINE { f(i.i); });
        else
            for (int i = 0; i < n; ++i) f(i);
    }

private:
    /// Count elements that lie in one piece, in every lane `step` further: as many at a time as there are lanes,
    /// transposed.
    template <int Count>
    TAPELESS_CONFIG_INLINE static void load_dense(number* to, T const* p, std::ptrdiff_t step) {
        if constexpr (W == 0) unroll<Count>([&](auto i) TAPELESS_CONFIG_INLINE { to[i.i].v[0] = p[i.i]; });
        else {
            constexpr int R = simd::lanes<T>;
            unroll<W>([&](auto v) TAPELESS_CONFIG_INLINE {
                T const* const first = p + v.i * R * step;
                unroll<Count / R>([&](auto c) TAPELESS_CONFIG_INLINE {
                    simd::detail::vec<T> r[static_cast<std::size_t>(R)];
                    unroll<R>([&](auto l) TAPELESS_CONFIG_INLINE {
                        r[l.i] = simd::detail::raw(simd::load(first + l.i * step + c.i * R));
                    });
                    pack_detail::transpose<T>(r);
                    unroll<R>([&](auto l)
                                  TAPELESS_CONFIG_INLINE { to[c.i * R + l.i].v[v.i] = simd::detail::wrap<T>(r[l.i]); });
                });
                unroll<Count % R>([&](auto c) TAPELESS_CONFIG_INLINE {
                    constexpr int i = Count / R * R + c.i;
                    to[i].v[v.i] = simd::load_strided(first + i, step);
                });
            });
        }
    }
    template <int Count>
    TAPELESS_CONFIG_INLINE static void store_dense(T* p, std::ptrdiff_t step, number const* from) {
        if constexpr (W == 0) unroll<Count>([&](auto i) TAPELESS_CONFIG_INLINE { p[i.i] = from[i.i].v[0]; });
        else {
            // matrix after matrix: stores in the order of addresses need not read what they overwrite
            constexpr int R = simd::lanes<T>, chunks = Count / R;
            unroll<W>([&](auto v) TAPELESS_CONFIG_INLINE {
                simd::detail::vec<T> r[static_cast<std::size_t>(chunks + 1)][static_cast<std::size_t>(R)];
                unroll<chunks>([&](auto c) TAPELESS_CONFIG_INLINE {
                    unroll<R>([&](auto l) TAPELESS_CONFIG_INLINE {
                        r[c.i][l.i] = simd::detail::raw(from[c.i * R + l.i].v[v.i]);
                    });
                    pack_detail::transpose<T>(r[c.i]);
                });
                unroll<R>([&](auto l) TAPELESS_CONFIG_INLINE {
                    T* const to = p + (v.i * R + l.i) * step;
                    auto const ahead =
                        reinterpret_cast<std::uintptr_t>(to) + machine::written_ahead;  // perhaps behind the end
                    for (int i = 0; i < Count * static_cast<int>(sizeof(T)); i += machine::cache_line)
                        __builtin_prefetch(reinterpret_cast<void const*>(ahead + static_cast<std::uintptr_t>(i)), 1);
                    unroll<chunks>([&](auto c) TAPELESS_CONFIG_INLINE {
                        simd::store(to + c.i * R, simd::detail::wrap<T>(r[c.i][l.i]));
                    });
                    unroll<Count % R>([&](auto c) TAPELESS_CONFIG_INLINE {
                        constexpr int i = chunks * R + c.i;
                        to[i] = simd::detail::raw(from[i].v[v.i])[l.i];
                    });
                });
            });
        }
    }
};

/// Whether matrices of n rows, a number that only run time knows, are better done in lanes: if there are many of them,
/// or they are very small.
template <class T, int Arrays, class Build = simd::batch<T>>
bool fits_lanes(std::int64_t n, loop_nest<Arrays> const& nest) {
    return n <= 4 || (n <= 16 && nest.inner() >= simd::lanes<T>);
}
/// f(small_matrices<T, N, W>{}, offsets of the first matrices, strides from one to the next, their number in the
/// batch): as many matrices at a time as they have lanes, and those that are left one by one.
template <class T, int N, int W, int Arrays, class F>
[[gnu::noinline]] void each_of_many(loop_nest<Arrays> const& nest, F const& f) {
    std::int64_t matrix = 0;
    nest.each(1, [&](std::ptrdiff_t const* offset) {
        std::ptrdiff_t at[static_cast<std::size_t>(Arrays)], step[static_cast<std::size_t>(Arrays)];
        for (int j = 0; j < Arrays; ++j) at[j] = offset[j], step[j] = nest.inner_stride(j);
        std::int64_t const count = nest.inner();
        auto groups = [&]<class K>(K, std::int64_t i) {
            for (; i + K::L <= count; i += K::L) {
                f(K{}, static_cast<std::ptrdiff_t const*>(at), static_cast<std::ptrdiff_t const*>(step), matrix + i);
                for (int j = 0; j < Arrays; ++j) at[j] += K::L * step[j];
            }
            return i;
        };
        (void)groups(small_matrices<T, N, 0>{}, groups(small_matrices<T, N, W>{}, 0));
        matrix += count;
    });
}
/// The same; that it is one matrix is seen where its axes are known when compiled, and nothing is left of the loops
/// then.
template <class T, int N, int W = (N == 0 || N > 6 ? 1 : 2), int Arrays, class F>
TAPELESS_CONFIG_INLINE inline void each_in_lanes(loop_nest<Arrays> const& nest, F const& f) {
    if (nest.axes > 0 || nest.empty) return each_of_many<T, N, W>(nest, f);
    constexpr std::ptrdiff_t none[static_cast<std::size_t>(Arrays)]{};
    f(small_matrices<T, N, 0>{}, static_cast<std::ptrdiff_t const*>(none), static_cast<std::ptrdiff_t const*>(none), 0);
}

}  // namespace tapeless::detail
