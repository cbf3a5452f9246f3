// SPDX-License-Identifier: MIT
#pragma once
// Triangular systems, and the factors of Cholesky and of Gauss: each is cut in two until it is small, so that nearly
// all of the work is in matrix products.

#include <tapeless/kernels/lapack.hpp>
#include <tapeless/kernels/short_factors.hpp>

namespace tapeless::detail::inline kernels_part {

/// Which triangle of a matrix is meant, after its transposition.
struct triangle {
    bool lower = true, unit = false;
};

template <class T, class Build = simd::batch<T>>
struct factors {
    using row = rows<T, Build>;
    using products = matrix_products<T, Build>;
    static constexpr int L = simd::lanes<T>;
    static constexpr std::int64_t small = 16;

    /// Elements of room for matrices of n rows, and right-hand sides of m columns.
    static constexpr std::int64_t room(std::int64_t n, std::int64_t m) { return products::room(n, n, m > n ? m : n); }

    /// b = t⁻¹ b, where b is n by m. The diagonal of t is not looked at.
    static void solve(triangle form, matrix_view<T const> t, T* b, std::ptrdiff_t b_row, std::int64_t n, std::int64_t m,
                      T* packed) {
        if (m == 1 && b_row == 1) return solve_vector(form, t, b, n);
        if (n <= small) return solve_small(form, t, b, b_row, n, m);
        std::int64_t const half = (n / 2 + 7) / 8 * 8, rest = n - half;
        T* const below = b + half * b_row;
        if (form.lower) {
            solve(form, t, b, b_row, half, m, packed);
            products::template add<-1>(below, b_row, t.from(half, 0), b, b_row, rest, half, m, packed);
            solve(form, t.from(half, half), below, b_row, rest, m, packed);
        } else {
            solve(form, t.from(half, half), below, b_row, rest, m, packed);
            products::template add<-1>(b, b_row, t.from(0, half), below, b_row, half, rest, m, packed);
            solve(form, t, b, b_row, half, m, packed);
        }
    }

    /// a = uᵀ u with u upper triangular, in its place; what is below the diagonal is neither read nor set. Where a is
    /// not positive definite something on the diagonal is not positive afterwards.
    static void cholesky(T* a, std::ptrdiff_t a_row, std::int64_t n, T* packed) {
#ifdef TAPELESS_USE_LAPACK
        if (n >= rows_for_lapack && n + a_row < 0x7fffffff) return lapack_cholesky(a, a_row, n);
#endif
        if (n <= short_factors<T>::most) return cholesky_small(a, a_row, static_cast<int>(n));
        std::int64_t const half = (n / 2 + 7) / 8 * 8, rest = n - half;
        T* const beside = a + half;
        T* const last = a + half * a_row + half;
        cholesky(a, a_row, half, packed);
        solve({.lower = true}, {a, 1, a_row}, beside, a_row, half, rest, packed);
        products::template add<-1, part_of_product::upper>(last, a_row, {beside, 1, a_row}, beside, a_row, rest, half,
                                                           rest, packed);
        cholesky(last, a_row, rest, packed);
    }

    /// What flows back through l lᵀ = a (Murray 2016): g, of which the lower triangle counts, becomes the derivative
    /// by the lower triangle of a. What is above the diagonal of g may be anything, before and afterwards.
    static void cholesky_back(matrix_view<T const> l, T* g, std::ptrdiff_t g_row, std::int64_t n, T* packed) {
        if (n <= small) return cholesky_back_small(l, g, g_row, n);
        std::int64_t const half = (n / 2 + 7) / 8 * 8, rest = n - half;
        matrix_view<T const> const below = l.from(half, 0);
        T *const g21 = g + half * g_row, *const g22 = g21 + half;
        cholesky_back(l.from(half, half), g22, g_row, rest, packed);
        // l22 l22ᵀ = a22 - l21 l21ᵀ: g21 -= (g22 + g22ᵀ) l21
        constexpr std::int64_t some = 8;
        for (std::int64_t i0 = 0; i0 < rest; i0 += some)
            for (std::int64_t j0 = 0; j0 <= i0; j0 += some)
                for (std::int64_t i = i0; i < rest && i < i0 + some; ++i)
                    for (std::int64_t j = j0; j < i && j < j0 + some; ++j) g22[j * g_row + i] = g22[i * g_row + j];
        for (std::int64_t i = 0; i < rest; ++i) g22[i * g_row + i] *= 2;
        products::template add<-1>(g21, g_row, {g22, g_row, 1}, below.at, below.row, rest, rest, half, packed);
        for (std::int64_t i = 0; i < rest; ++i) g22[i * g_row + i] *= T(0.5);
        // l21 l11ᵀ = a21: g21 = g21 l11⁻¹, g11 -= g21ᵀ l21
        solve_right(l, g21, g_row, rest, half, packed);
        products::template add<-1, part_of_product::lower>(g, g_row, {g21, 1, g_row}, below.at, below.row, half, rest,
                                                           half, packed);
        cholesky_back(l, g, g_row, half, packed);
    }

    /// b = b l⁻¹ of a lower triangle l whose rows lie in one piece; b is m by n.
    static void solve_right(matrix_view<T const> l, T* b, std::ptrdiff_t b_row, std::int64_t m, std::int64_t n,
                            T* packed) {
        if (n <= small) {
            for (std::int64_t i = 0; i < m; ++i) {
                T* const x = b + i * b_row;
                for (std::int64_t k = n - 1; k >= 0; --k) {
                    x[k] /= l(k, k);
                    row::add(x, -x[k], l.at + k * l.row, k);
                }
            }
            return;
        }
        std::int64_t const half = (n / 2 + 7) / 8 * 8, rest = n - half;
        matrix_view<T const> const below = l.from(half, 0);
        solve_right(l.from(half, half), b + half, b_row, m, rest, packed);
        products::template add<-1>(b, b_row, {b + half, b_row, 1}, below.at, below.row, m, rest, half, packed);
        solve_right(l, b, b_row, m, half, packed);
    }

    /// p a = l u in the place of a, n by n; l has ones on its diagonal. Row i of p a is row from[i] of a. Where a is
    /// singular there is a 0 on the diagonal of u.
    static void lu(T* a, std::ptrdiff_t a_row, std::int64_t n, T* from, T* packed) {
#ifdef TAPELESS_USE_LAPACK
        if (n >= rows_for_lapack && n + a_row < 0x7fffffff)
            return lapack_lu(a, a_row, n, from, reinterpret_cast<lapack_int*>(packed));
#endif
        for (std::int64_t i = 0; i < n; ++i) from[i] = static_cast<T>(i);
        lu_columns(a, a_row, n, 0, n, from, packed);
    }

    /// x = a⁻¹ b of the factors (or a⁻ᵀ b): b is in x, its rows in the order of p for a⁻¹; so is x for a⁻ᵀ.
    static void solve_lu(bool transposed, matrix_view<T const> lu, T* x, std::ptrdiff_t x_row, std::int64_t n,
                         std::int64_t m, T* packed) {
        if (transposed) {
            solve({.lower = true}, lu.transposed(), x, x_row, n, m, packed);
            solve({.lower = false, .unit = true}, lu.transposed(), x, x_row, n, m, packed);
        } else {
            solve({.lower = true, .unit = true}, lu, x, x_row, n, m, packed);
            solve({.lower = false}, lu, x, x_row, n, m, packed);
        }
    }

private:
    static void cholesky_small(T* a, std::ptrdiff_t a_row, int n) {
        using K = short_factors<T>;
        typename K::square u(n);
        T root[static_cast<std::size_t>(K::most)];
        constexpr int some = 8 > L ? 8 : L;  // whole registers
        for (int i = 0; i < n; ++i)
            for (int j = i / some * some; j < n; ++j) u[i][j] = a[i * a_row + j];
        if (K::cholesky(u, root, n)) {
            for (int i = 0; i < n; ++i) {
                T* const to = a + i * a_row;
                to[i] = root[i];
                for (int j = i + 1; j < n; ++j) to[j] = u[i][j];
            }
            return;
        }
        for (int k = 0; k < n; ++k) {  // pivots that are as small as numbers can be, or not positive
            T* const pivot = a + k * a_row;
            pivot[k] = static_cast<T>(__builtin_sqrt(pivot[k]));
            row::scale(pivot + k + 1, 1 / pivot[k], n - k - 1);
            for (int i = k + 1; i < n; ++i) row::add(a + i * a_row + i, -pivot[i], pivot + i, n - i);
        }
    }
    static void cholesky_back_small(matrix_view<T const> l, T* g, std::ptrdiff_t g_row, std::int64_t n) {
        for (std::int64_t j = n - 1; j >= 0; --j) {
            T* const gj = g + j * g_row;
            T const* const lj = l.at + j * l.row;
            T const inverse = 1 / lj[j];
            T sum = gj[j];
            for (std::int64_t i = j + 1; i < n; ++i) {
                T& gi = g[i * g_row + j];
                gi *= inverse;
                sum -= l(i, j) * gi;
            }
            T const d = sum * inverse;
            row::add(gj, -d, lj, j);
            for (std::int64_t i = j + 1; i < n; ++i) {
                T const gi = g[i * g_row + j];
                row::add(gj, -gi, l.at + i * l.row, j);
                row::add(g + i * g_row, -gi, lj, j);
            }
            gj[j] = d / 2;
        }
    }
    /// Sums stay in registers while the columns above are gone through.
    static void solve_small(triangle form, matrix_view<T const> t, T* b, std::ptrdiff_t b_row, std::int64_t n,
                            std::int64_t m) {
        constexpr int W = 4;
        T inverse[static_cast<std::size_t>(small)];
        for (std::int64_t i = 0; i < n; ++i) inverse[i] = form.unit ? T(1) : 1 / t(i, i);
        std::int64_t c = 0;
        auto columns = [&](auto width) TAPELESS_CONFIG_INLINE {
            constexpr int V = decltype(width)::i;
            for (; c + V * L <= m; c += V * L)
                for (std::int64_t s = 0; s < n; ++s) {
                    std::int64_t const i = form.lower ? s : n - 1 - s;
                    T* const to = b + i * b_row + c;
                    simd::batch<T> sum[static_cast<std::size_t>(V)];
                    repeat<V>([&](int v)
                                  TAPELESS_CONFIG_INLINE { sum[v] = simd::load(static_cast<T const*>(to + v * L)); });
                    for (std::int64_t k = form.lower ? 0 : i + 1, end = form.lower ? i : n; k < end; ++k) {
                        simd::batch<T> const factor(t(i, k));
                        T const* const p = b + k * b_row + c;
                        repeat<V>([&](int v) TAPELESS_CONFIG_INLINE {
                            sum[v] = simd::fnma(factor, simd::load(p + v * L), sum[v]);
                        });
                    }
                    simd::batch<T> const last(inverse[i]);
                    repeat<V>([&](int v) TAPELESS_CONFIG_INLINE {
                        simd::store(to + v * L, form.unit ? sum[v] : simd::mul(sum[v], last));
                    });
                }
        };
        columns(index<W>{});
        columns(index<1>{});
        for (; c < m; ++c)
            for (std::int64_t s = 0; s < n; ++s) {
                std::int64_t const i = form.lower ? s : n - 1 - s;
                T sum = b[i * b_row + c];
                for (std::int64_t k = form.lower ? 0 : i + 1, end = form.lower ? i : n; k < end; ++k)
                    sum -= t(i, k) * b[k * b_row + c];
                b[i * b_row + c] = form.unit ? sum : sum / t(i, i);
            }
    }
    /// Number by number: what is known first is subtracted first, so that each one waits for the one before it alone.
    static void solve_short(triangle form, matrix_view<T const> t, T* x, std::int64_t n) {
        T inverse[static_cast<std::size_t>(small)];
        for (std::int64_t i = 0; i < n && !form.unit; ++i) inverse[i] = inverse_of(t(i, i));
        for (std::int64_t s = 0; s < n; ++s) {
            std::int64_t const i = form.lower ? s : n - 1 - s, step = form.lower ? 1 : -1;
            T const* p = &t(i, form.lower ? 0 : n - 1);
            T const* y = x + (form.lower ? 0 : n - 1);
            T sum = x[i];
            for (std::int64_t j = 0; j < s; ++j, p += step * t.column, y += step) sum -= *p * *y;
            x[i] = form.unit ? sum : inverse[i] != 0 ? sum * inverse[i] : sum / t(i, i);
        }
    }
    static void solve_vector(triangle form, matrix_view<T const> t, T* x, std::int64_t n) {
        if (n <= small) return solve_short(form, t, x, n);
        for (std::int64_t s = 0; s < n; ++s) {
            std::int64_t const i = form.lower ? s : n - 1 - s, k = form.lower ? 0 : i + 1,
                               known = form.lower ? i : n - 1 - i;
            if (t.row == 1 && t.column != 1) {  // columns in one piece: each x is subtracted from those that follow
                if (!form.unit) x[i] /= t(i, i);
                std::int64_t const next = form.lower ? i + 1 : 0, open = form.lower ? n - 1 - i : i;
                row::add(x + next, -x[i], t.at + next + i * t.column, open);
                continue;
            }
            if (t.column == 1) {
                x[i] -= row::dot(t.at + i * t.row + k, x + k, known);
            } else {
                for (std::int64_t j = k; j < k + known; ++j) x[i] -= t(i, j) * x[j];
            }
            if (!form.unit) x[i] /= t(i, i);
        }
    }

    static T size(T x) { return x < 0 ? -x : x; }
    /// What a pivot divides by; 0 where it would be infinite, or the pivot is 0: then all below are divided one by
    /// one, or are 0.
    static T inverse_of(T pivot) {
        T const inverse = pivot == 0 ? T(0) : 1 / pivot;
        return inverse - inverse == 0 ? inverse : T(0);
    }
    static void lu_small(T* a, std::ptrdiff_t a_row, std::int64_t n, T* from) {
        for (std::int64_t j = 0; j < n; ++j) {
            std::int64_t p = j;
            T largest = size(a[j * a_row + j]);
            for (std::int64_t i = j + 1; i < n; ++i) {
                T const here = size(a[i * a_row + j]);
                bool const larger = here > largest;  // no branch: that would be foretold wrongly
                p = larger ? i : p;
                largest = larger ? here : largest;
            }
            if (p != j) {
                row::swap(a + p * a_row, a + j * a_row, n);
                row::swap(from + p, from + j, 1);
            }
            T const* const pivot = a + j * a_row;
            if (pivot[j] == 0) continue;
            T const inverse = inverse_of(pivot[j]);
            for (std::int64_t i = j + 1; i < n; ++i) {
                T* const r = a + i * a_row;
                r[j] = inverse != 0 ? r[j] * inverse : r[j] / pivot[j];
                row::add(r + j + 1, -r[j], pivot + j + 1, n - j - 1);
            }
        }
    }
    /// Columns c ... c + w - 1, of at most `small`: done in a copy whose columns lie in one piece, because those of a
    /// may meet in the caches.
    static void lu_panel(T* a, std::ptrdiff_t a_row, std::int64_t n, std::int64_t c, std::int64_t w, T* from, T* copy) {
        std::int64_t const m = n - c;
        T* const first = a + c * a_row + c;
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < w; ++j) copy[j * m + i] = first[i * a_row + j];
        for (std::int64_t j = 0; j < w; ++j) {
            T* const x = copy + j * m;
            std::int64_t p = j;
            for (std::int64_t i = j + 1; i < m; ++i)
                if (size(x[i]) > size(x[p])) p = i;
            if (p != j) {
                for (std::int64_t k = 0; k < w; ++k) row::swap(copy + k * m + j, copy + k * m + p, 1);
                row::swap(a + (c + p) * a_row, a + (c + j) * a_row, n);
                row::swap(from + c + p, from + c + j, 1);
            }
            if (x[j] == 0) continue;
            if (T const inverse = inverse_of(x[j]); inverse != 0) row::scale(x + j + 1, inverse, m - j - 1);
            else
                for (std::int64_t i = j + 1; i < m; ++i) x[i] /= x[j];
            for (std::int64_t k = j + 1; k < w; ++k)
                row::add(copy + k * m + j + 1, -copy[k * m + j], x + j + 1, m - j - 1);
        }
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < w; ++j) first[i * a_row + j] = copy[j * m + i];
    }
    /// Columns c ... c + w - 1 of a matrix of n, those before being done. Whole rows change places.
    static void lu_columns(T* a, std::ptrdiff_t a_row, std::int64_t n, std::int64_t c, std::int64_t w, T* from,
                           T* packed) {
        if (w <= small) return n <= small ? lu_small(a, a_row, n, from) : lu_panel(a, a_row, n, c, w, from, packed);
        std::int64_t const half = (w / 2 + 7) / 8 * 8, rest = w - half, d = c + half;
        lu_columns(a, a_row, n, c, half, from, packed);
        solve({.lower = true, .unit = true}, {a + c * a_row + c, a_row, 1}, a + c * a_row + d, a_row, half, rest,
              packed);
        products::template add<-1>(a + d * a_row + d, a_row, {a + d * a_row + c, a_row, 1}, a + c * a_row + d, a_row,
                                   n - d, half, rest, packed);
        lu_columns(a, a_row, n, d, rest, from, packed);
    }
};

}  // namespace tapeless::detail::kernels_part
