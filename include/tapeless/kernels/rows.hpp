// SPDX-License-Identifier: MIT
#pragma once
// Matrices by their rows: sums of rows, dot products, rotations, and c += a b and c -= a b on the tiles of the matrix
// product.

#include <tapeless/kernels/gemm.hpp>

namespace tapeless::detail::inline kernels_part {

/// A matrix in memory.
template <class T>
struct matrix_view {
    T* at = nullptr;
    std::ptrdiff_t row = 0, column = 1;
    T& operator()(std::int64_t i, std::int64_t j) const { return at[i * row + j * column]; }
    matrix_view from(std::int64_t i, std::int64_t j) const { return {at + i * row + j * column, row, column}; }
    matrix_view transposed() const { return {at, column, row}; }
};

/// Loops over rows that lie in one piece. (Build, here and below: translation units built for other instruction sets
/// have functions of their own.)
template <class T, class Build = simd::batch<T>>
struct rows {
    static constexpr int L = simd::lanes<T>;

    /// y += f x
    static void add(T* y, T f, T const* x, std::int64_t n) {
        simd::batch<T> const factor(f);
        std::int64_t i = 0;
        for (; i + L <= n; i += L)
            simd::store(y + i, simd::fma(factor, simd::load(x + i), simd::load(static_cast<T const*>(y + i))));
        for (; i < n; ++i) y[i] += f * x[i];
    }
    static void scale(T* y, T f, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) y[i] *= f;
    }
    static void fill(T* y, T f, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) y[i] = f;
    }
    static T dot(T const* x, T const* y, std::int64_t n) {
        simd::batch<T> a(T(0)), b(T(0)), c(T(0)), d(T(0));
        std::int64_t i = 0;
        for (; i + 4 * L <= n; i += 4 * L) {
            a = simd::fma(simd::load(x + i), simd::load(y + i), a);
            b = simd::fma(simd::load(x + i + L), simd::load(y + i + L), b);
            c = simd::fma(simd::load(x + i + 2 * L), simd::load(y + i + 2 * L), c);
            d = simd::fma(simd::load(x + i + 3 * L), simd::load(y + i + 3 * L), d);
        }
        for (; i + L <= n; i += L) a = simd::fma(simd::load(x + i), simd::load(y + i), a);
        a = simd::add(simd::add(a, b), simd::add(c, d));
        T sum = 0;
        for (int l = 0; l < L; ++l) sum += a.get(static_cast<std::size_t>(l));
        for (; i < n; ++i) sum += x[i] * y[i];
        return sum;
    }
    /// x = c x - s y, y = s x + c y
    static void rotate(T* x, T* y, T c, T s, std::int64_t n) {
        simd::batch<T> const cs(c), sn(s);
        std::int64_t i = 0;
        for (; i + L <= n; i += L) {
            simd::batch<T> const a = simd::load(static_cast<T const*>(x + i)),
                                 b = simd::load(static_cast<T const*>(y + i));
            simd::store(x + i, simd::fnma(sn, b, simd::mul(cs, a)));
            simd::store(y + i, simd::fma(sn, a, simd::mul(cs, b)));
        }
        for (; i < n; ++i) {
            T const a = x[i], b = y[i];
            x[i] = c * a - s * b;
            y[i] = s * a + c * b;
        }
    }
    static void swap(T* x, T* y, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            T const a = x[i];
            x[i] = y[i];
            y[i] = a;
        }
    }
    /// Whether there is neither NaN nor infinity among n numbers.
    static bool all_finite(T const* x, std::int64_t n) {
        T sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += x[i] - x[i];
        return sum == 0;
    }
    /// The length of x, of which no square overflows.
    static T norm(T const* x, std::int64_t n) {
        T const squares = dot(x, x, n);
        if (squares > T(1e-30) && squares < T(1e30)) return static_cast<T>(__builtin_sqrt(squares));
        T most = 0;
        for (std::int64_t i = 0; i < n; ++i)
            most = x[i] < 0 ? (-x[i] > most ? -x[i] : most) : !(x[i] <= most) ? x[i] : most;
        if (!(most > 0) || most - most != 0) return most;
        T sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += (x[i] / most) * (x[i] / most);
        return most * static_cast<T>(__builtin_sqrt(sum));
    }
    /// to = from, m by n; rows of `to` lie in one piece.
    static void copy(T* to, std::ptrdiff_t to_row, matrix_view<T const> from, std::int64_t m, std::int64_t n) {
        if (from.column == 1) {
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) to[i * to_row + j] = from.at[i * from.row + j];
            return;
        }
        constexpr std::int64_t some = 8;  // columns that are contiguous are read a few at a time
        for (std::int64_t i0 = 0; i0 < m; i0 += some)
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = i0; i < m && i < i0 + some; ++i) to[i * to_row + j] = from(i, j);
    }
    /// The same into an array of any strides.
    static void copy(matrix_view<T> to, matrix_view<T const> from, std::int64_t m, std::int64_t n) {
        if (to.column == 1) return copy(to.at, to.row, from, m, n);
        if (to.row == 1) return copy(to.at, to.column, from.transposed(), n, m);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) to(i, j) = from(i, j);
    }
    /// to = (a + aᵀ)/2, or with Upper what is on and above its diagonal; what is below may then be anything.
    template <bool Upper = false>
    static void symmetrise(T* to, std::ptrdiff_t to_row, matrix_view<T const> a, std::int64_t n) {
        if (a.row == 1) a = a.transposed();
        std::int64_t const whole = a.column == 1 ? n / L * L : 0, some = 8;
        simd::batch<T> const half(T(0.5));
        for (std::int64_t i = 0; i < whole; i += L)
            for (std::int64_t j = Upper ? i : 0; j < whole; j += L) {
                turned const below(a.at + j * a.row + i, a.row);
                repeat<L>([&](int l) TAPELESS_CONFIG_INLINE {
                    simd::batch<T> const sum = simd::add(simd::load(a.at + (i + l) * a.row + j), below[l]);
                    simd::store(to + (i + l) * to_row + j, simd::mul(sum, half));
                });
            }
        for (std::int64_t i0 = 0; i0 < n; i0 += some)
            for (std::int64_t j0 = Upper && i0 > whole ? i0 / L * L : whole; j0 < n; j0 += some)
                for (std::int64_t i = i0; i < n && i < i0 + some; ++i)
                    for (std::int64_t j = j0; j < n && j < j0 + some; ++j)
                        to[i * to_row + j] = (a(i, j) + a(j, i)) * T(0.5);
        for (std::int64_t i = whole; i < n && !Upper; ++i)
            for (std::int64_t j = 0; j < whole; ++j) to[i * to_row + j] = (a(i, j) + a(j, i)) * T(0.5);
    }
    /// l = uᵀ of a triangle u, above whose diagonal something may stand, and 0 above the diagonal of l.
    static void transpose_triangle(T* l, std::ptrdiff_t row, T const* u, std::ptrdiff_t u_row, std::int64_t n) {
        std::int64_t const whole = n / L * L;
        for (std::int64_t i = 0; i < whole; i += L)
            for (std::int64_t j = 0; j <= i; j += L) {
                turned const block(u + j * u_row + i, u_row);
                repeat<L>([&](int k) TAPELESS_CONFIG_INLINE { simd::store(l + (i + k) * row + j, block[k]); });
            }
        for (std::int64_t i = whole; i < n; ++i)
            for (std::int64_t j = 0; j <= i; ++j) l[i * row + j] = u[j * u_row + i];
        for (std::int64_t i = 0; i < n; ++i) fill(l + i * row + i + 1, 0, n - i - 1);
    }

private:
    /// As many rows as a register has lanes, transposed.
    struct turned {
        simd::detail::vec<T> column[static_cast<std::size_t>(L)];
        TAPELESS_CONFIG_INLINE turned(T const* p, std::ptrdiff_t row) {
            repeat<L>([&](int l) TAPELESS_CONFIG_INLINE { column[l] = simd::detail::raw(simd::load(p + l * row)); });
            pack_detail::transpose<T>(column);
        }
        TAPELESS_CONFIG_INLINE simd::batch<T> operator[](int l) const { return simd::detail::wrap<T>(column[l]); }
    };
};

/// Which elements of a square product are wanted.
enum class part_of_product { all, upper, lower };

/// Products into matrices whose rows lie in one piece.
template <class T, class Build = simd::batch<T>>
struct matrix_products {
    static constexpr int J = product_blocks<T>::rows, U = product_blocks<T>::batches, L = simd::lanes<T>, N = U * L;
    static constexpr std::int64_t deep = product_blocks<T>::depth, block = product_blocks<T>::block;

    /// Below so many products nothing is packed.
    static constexpr std::int64_t small = 12 * 12 * 12;

    /// Elements of room that products of at most m by k by n need (see add).
    static constexpr std::int64_t room(std::int64_t m, std::int64_t k, std::int64_t n) {
        std::int64_t const some = m < block ? m + J : block, kc = k < deep ? k : deep;
        return kc * (some + n + N);
    }

    /// c += a b, or -= for Sign -1: m by k by n, b's rows in one piece. Where only a triangle of a square c counts,
    /// the other may be anything afterwards.
    template <int Sign, part_of_product Part = part_of_product::all>
    [[gnu::noinline]] static void add(T* c, std::ptrdiff_t c_row, matrix_view<T const> a, T const* b,
                                      std::ptrdiff_t b_row, std::int64_t m, std::int64_t k, std::int64_t n, T* packed) {
        if (m <= 0 || n <= 0 || k <= 0) return;
        constexpr bool upper = Part == part_of_product::upper, lower = Part == part_of_product::lower;
        if (m * n * k <= small || n < L) {
            for (std::int64_t i = 0; i < m; ++i) {
                std::int64_t const first = upper ? i : 0, end = lower ? i + 1 : n;
                for (std::int64_t p = 0; p < k; ++p)
                    rows<T, Build>::add(c + i * c_row + first, Sign * a(i, p), b + p * b_row + first, end - first);
            }
            return;
        }
        for (std::int64_t k0 = 0; k0 < k; k0 += deep) {
            std::int64_t const kc = k - k0 < deep ? k - k0 : deep;
            T* const right = packed;
            T* const left = packed + (n + N - 1) / N * N * kc;
            pack_right<T, Build>(right, b + k0 * b_row, b_row, 1, kc, n, N / L);
            for (std::int64_t i0 = 0; i0 < m; i0 += block) {
                std::int64_t const mc = m - i0 < block ? m - i0 : block;
                pack_left<J, T, Build>(left, a.at + i0 * a.row + k0 * a.column, a.row, a.column, mc, kc);
                for (std::int64_t j = 0; j < n; j += N) {
                    std::int64_t const columns = n - j < N ? n - j : N;
                    for (std::int64_t s = 0; s < mc; s += J) {
                        if (upper && j + columns <= i0 + s) break;
                        if (lower && j >= i0 + s + J) continue;
                        tile<Sign>(c + (i0 + s) * c_row + j, c_row, left + s * kc, right + j * kc, kc, mc - s, columns);
                    }
                }
            }
        }
    }

private:
    template <int Sign>
    TAPELESS_CONFIG_INLINE static void tile(T* c, std::ptrdiff_t c_row, T const* left, T const* right, std::int64_t kc,
                                            std::int64_t m, std::int64_t columns) {
        simd::batch<T> acc[static_cast<std::size_t>(J)][static_cast<std::size_t>(U)];
        multiply_tile<left_form::columns>(acc, left, 0, J, right, N, kc);
        repeat<J>([&](int r) TAPELESS_CONFIG_INLINE {
            if (r >= m) return;
            repeat<U>([&](int u) TAPELESS_CONFIG_INLINE {
                T* const p = c + r * c_row + u * L;
                int const n = static_cast<int>(columns) - u * L;
                auto sum = [&](simd::batch<T> old) TAPELESS_CONFIG_INLINE {
                    return Sign > 0 ? simd::add(old, acc[r][u]) : simd::sub(old, acc[r][u]);
                };
                if (n >= L) simd::store(p, sum(simd::load(static_cast<T const*>(p))));
                else if (n > 0) simd::store_partial(p, sum(simd::load_partial(static_cast<T const*>(p), n)), n);
            });
        });
    }
};

}  // namespace tapeless::detail::kernels_part
