// SPDX-License-Identifier: MIT
#pragma once
// Orthogonal factors: qr by Householder's reflections, in blocks; the symmetric eigenproblem by tridiagonalisation
// and implicit QL.

#include <limits>

#include <tapeless/kernels/lapack.hpp>
#include <tapeless/kernels/rows.hpp>

namespace tapeless::detail::inline kernels_part {

template <class T, class Build = simd::batch<T>>
struct reflections {
    using row = rows<T, Build>;
    using products = matrix_products<T, Build>;
    static constexpr std::int64_t block = 32;
    /// Columns of which reflections are applied one by one, as a block of them does not pay.
    static constexpr std::int64_t few = 8;
    /// The square of this over the least normal number is more than 1 over the square of the rounding.
    static constexpr T least_squared = sizeof(T) == 4 ? T(1e-10) : T(1e-130);

    /// x (of n > 0 elements, `stride` apart) becomes v with v(0) = 1, so that (1 - tau v vᵀ) x = beta e0. Returns tau.
    static T reflect(T* x, std::ptrdiff_t stride, std::int64_t n, T& beta) {
        T most = 0;
        for (std::int64_t i = 1; i < n; ++i) {
            T const v = x[i * stride] < 0 ? -x[i * stride] : x[i * stride];
            most = v > most || v != v ? v : most;
        }
        T const first = x[0];
        beta = first;
        x[0] = 1;
        if (most == 0) return 0;
        T const size = most > (first < 0 ? -first : first) ? most : (first < 0 ? -first : first);
        // where no square overflows, and those that vanish beside the largest need not be seen, nothing is divided
        T const by = size > least_squared && size < 1 / least_squared ? T(1) : size;
        T sum = 0;
        if (by == 1)
            for (std::int64_t i = 1; i < n; ++i) sum += x[i * stride] * x[i * stride];
        else
            for (std::int64_t i = 1; i < n; ++i) sum += (x[i * stride] / by) * (x[i * stride] / by);
        T const norm = by * static_cast<T>(__builtin_sqrt(sum + (first / by) * (first / by)));
        beta = first > 0 ? -norm : norm;
        T const down = 1 / (first - beta);
        for (std::int64_t i = 1; i < n; ++i) x[i * stride] *= down;
        return (beta - first) / beta;
    }

    /// Elements of room for a matrix of m by n: reflections, a block of them, its products, and what those pack.
    static constexpr std::int64_t room(std::int64_t m, std::int64_t n) {
        return m * n + 2 * n + block * (m + n + block) + products::room(m, m, n);
    }

    /// a = q r, both with rows in one piece: q is m by n, r n by n with a diagonal that is not negative; m >= n.
    static void qr(matrix_view<T const> a, std::int64_t m, std::int64_t n, T* q, std::ptrdiff_t q_row, T* r,
                   std::ptrdiff_t r_row, T* memory) {
        T* const w = memory;  // a, then the reflections below and r above the diagonal
        T* const tau = w + m * n;
        T* const line = tau + n;
        T* const v = line + n;
        T* const t = v + block * m;
        T* const u = t + block * block;
        T* const packed = u + block * n;
#ifdef TAPELESS_USE_LAPACK
        if (n >= rows_for_lapack && fits_lapack(m, n)) {
            row::copy(w, m, a.transposed(), n, m);
            lapack_qr(w, m, n, tau, v, block * n);
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j < n; ++j) r[i * r_row + j] = j < i ? T(0) : w[j * m + i];
            lapack_q(w, m, n, tau, v, block * n);
            row::copy(q, q_row, {w, 1, static_cast<std::ptrdiff_t>(m)}, m, n);
            return make_unique(q, q_row, r, r_row, m, n);
        }
#endif
        row::copy(w, n, a, m, n);
        for (std::int64_t j0 = 0; j0 < n; j0 += block) {
            std::int64_t const some = n - j0 < block ? n - j0 : block, rest = n - j0 - some;
            for (std::int64_t j = j0; j < j0 + some; ++j) {
                T beta;
                tau[j] = reflect(w + j * n + j, n, m - j, beta);
                apply_one(w + j * n + j, n, tau[j], w + j * n + j + 1, n, m - j, j0 + some - j - 1, line);
                w[j * n + j] = beta;
            }
            if (rest == 0) continue;
            gather(w, n, m, j0, some, tau, v, t);
            apply_block<true>(v, t, some, w + j0 * n + j0 + some, n, m - j0, rest, u, packed);
        }
        for (std::int64_t i = 0; i < n; ++i) {
            row::fill(r + i * r_row, 0, i);
            for (std::int64_t j = i; j < n; ++j) r[i * r_row + j] = w[i * n + j];
        }
        for (std::int64_t i = 0; i < m; ++i) {
            row::fill(q + i * q_row, 0, n);
            if (i < n) q[i * q_row + i] = 1;
        }
        for (std::int64_t j = n - 1; j >= 0 && n <= few; --j) {
            w[j * n + j] = 1;
            apply_one(w + j * n + j, n, tau[j], q + j * q_row + j, q_row, m - j, n - j, line);
        }
        for (std::int64_t j0 = (n - 1) / block * block; j0 >= 0 && n > few; j0 -= block) {
            std::int64_t const some = n - j0 < block ? n - j0 : block;
            gather(w, n, m, j0, some, tau, v, t);
            apply_block<false>(v, t, some, q + j0 * q_row + j0, q_row, m - j0, n - j0, u, packed);
        }
        make_unique(q, q_row, r, r_row, m, n);
    }

private:
    /// The diagonal of r becomes positive.
    static void make_unique(T* q, std::ptrdiff_t q_row, T* r, std::ptrdiff_t r_row, std::int64_t m, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            if (!(r[i * r_row + i] < 0)) continue;
            row::scale(r + i * r_row + i, -1, n - i);
            for (std::int64_t k = 0; k < m; ++k) q[k * q_row + i] = -q[k * q_row + i];
        }
    }
    /// a -= tau v (vᵀ a)
    static void apply_one(T const* v, std::ptrdiff_t v_row, T tau, T* a, std::ptrdiff_t a_row, std::int64_t m,
                          std::int64_t n, T* line) {
        if (n <= 0 || tau == 0) return;
        row::fill(line, 0, n);
        for (std::int64_t i = 0; i < m; ++i) row::add(line, v[i * v_row], a + i * a_row, n);
        for (std::int64_t i = 0; i < m; ++i) row::add(a + i * a_row, -tau * v[i * v_row], line, n);
    }
    /// The reflections of a block: v, with ones on its diagonal and zeros above, and t, with which their product is 1
    /// - v t vᵀ.
    static void gather(T const* w, std::int64_t n, std::int64_t m, std::int64_t j0, std::int64_t some, T const* tau,
                       T* v, T* t) {
        for (std::int64_t i = j0; i < m; ++i)
            for (std::int64_t j = 0; j < some; ++j)
                v[(i - j0) * some + j] = i == j0 + j ? T(1) : i < j0 + j ? T(0) : w[i * n + j0 + j];
        for (std::int64_t j = 0; j < some; ++j) {
            T* const column = t + j;  // t(0 .. j-1, j) = -tau t(.., ..) vᵀ v(j)
            for (std::int64_t i = 0; i < j; ++i) {
                T sum = 0;
                for (std::int64_t k = j; k < m - j0; ++k) sum += v[k * some + i] * v[k * some + j];
                column[i * some] = -tau[j0 + j] * sum;
            }
            for (std::int64_t i = 0; i < j; ++i) {
                T sum = 0;
                for (std::int64_t k = i; k < j; ++k) sum += t[i * some + k] * column[k * some];
                column[i * some] = sum;
            }
            column[j * some] = tau[j0 + j];
        }
    }
    /// a -= v t vᵀ a, or with tᵀ.
    template <bool Transposed>
    static void apply_block(T const* v, T const* t, std::int64_t some, T* a, std::ptrdiff_t a_row, std::int64_t m,
                            std::int64_t n, T* u, T* packed) {
        row::fill(u, 0, some * n);
        products::template add<1>(u, n, {v, 1, static_cast<std::ptrdiff_t>(some)}, a, a_row, some, m, n, packed);
        for (std::int64_t s = 0; s < some; ++s) {
            std::int64_t const i = Transposed ? some - 1 - s : s;
            row::scale(u + i * n, t[i * some + i], n);
            for (std::int64_t k = Transposed ? 0 : i + 1, end = Transposed ? i : some; k < end; ++k)
                row::add(u + i * n, Transposed ? t[k * some + i] : t[i * some + k], u + k * n, n);
        }
        products::template add<-1>(a, a_row, {v, static_cast<std::ptrdiff_t>(some), 1}, u, n, m, some, n, packed);
    }
};

template <class T, class Build = simd::batch<T>>
struct symmetric_eigen {
    using row = rows<T, Build>;
    static constexpr int most_turns = 60;

    /// Elements of room for a matrix of n by n.
    static constexpr std::int64_t room(std::int64_t n) { return 2 * n * n + 4 * n + lapack_eigen_room(n); }

    /// The eigenvalues w of (a + aᵀ)/2 in ascending order; the eigenvectors are the rows of what is returned, where
    /// they are wanted. False where an eigenvalue was not found. Of a matrix with NaN or infinity all are NaN.
    static bool solve(matrix_view<T const> a, std::int64_t n, bool vectors, T* w, T*& z, T* memory) {
        T* const s = memory;
        T* const e = s + n * n;
        T* const tau = e + n;
        T* const p = tau + n;
        z = vectors ? p + 2 * n : nullptr;
        row::symmetrise(s, n, a, n);
        if (!row::all_finite(s, n * n)) {
            row::fill(w, std::numeric_limits<T>::quiet_NaN(), n);
            if (z) row::fill(z, std::numeric_limits<T>::quiet_NaN(), n * n);
            return true;
        }
#ifdef TAPELESS_USE_LAPACK
        if (n >= spectrum_for_lapack && fits_lapack(n, n)) {
            z = s;
            return lapack_eigen(s, n, vectors, w, e);
        }
#endif
        for (std::int64_t k = 0; k + 1 < n; ++k) {
            T* const v = s + k * n + k + 1;
            std::int64_t const m = n - k - 1;
            w[k] = s[k * n + k];
            tau[k] = reflections<T, Build>::reflect(v, 1, m, e[k]);
            if (tau[k] == 0) continue;
            for (std::int64_t i = 0; i < m; ++i) p[i] = tau[k] * row::dot(s + (k + 1 + i) * n + k + 1, v, m);
            row::add(p, -tau[k] / 2 * row::dot(p, v, m), v, m);
            for (std::int64_t i = 0; i < m; ++i) {
                T* const to = s + (k + 1 + i) * n + k + 1;
                row::add(to, -v[i], p, m);
                row::add(to, -p[i], v, m);
            }
        }
        if (n > 0) {
            w[n - 1] = s[n * n - 1];
            e[n - 1] = 0;
        }
        if (z) {  // the transposed product of the reflections
            row::fill(z, 0, n * n);
            for (std::int64_t i = 0; i < n; ++i) z[i * n + i] = 1;
            for (std::int64_t k = n - 2; k >= 0; --k) {
                T const* const v = s + k * n + k + 1;
                std::int64_t const m = n - k - 1;
                for (std::int64_t i = k + 1; i < n && tau[k] != 0; ++i) {
                    T* const to = z + i * n + k + 1;
                    row::add(to, -tau[k] * row::dot(to, v, m), v, m);
                }
            }
        }
        return ql(w, e, z, n) && sort(w, z, n);
    }

private:
    /// Implicit QL on the diagonal w and what is beside it, e; the rows of z turn with it.
    static bool ql(T* w, T* e, T* z, std::int64_t n) {
        constexpr T eps = std::numeric_limits<T>::epsilon();
        auto size = [](T x) { return x < 0 ? -x : x; };
        for (std::int64_t l = 0; l < n; ++l)
            for (int turn = 0;; ++turn) {
                std::int64_t m = l;
                while (m + 1 < n && size(e[m]) > eps * (size(w[m]) + size(w[m + 1]))) ++m;
                if (m == l) break;
                if (turn == most_turns) return false;
                T g = (w[l + 1] - w[l]) / (2 * e[l]), r = hypotenuse(g, 1), s = 1, c = 1, p = 0;
                g = w[m] - w[l] + e[l] / (g + (g < 0 ? -r : r));
                std::int64_t i = m - 1;
                for (; i >= l; --i) {
                    T f = s * e[i];
                    T const b = c * e[i];
                    e[i + 1] = r = hypotenuse(f, g);
                    if (r == 0) {
                        w[i + 1] -= p;
                        e[m] = 0;
                        break;
                    }
                    s = f / r;
                    c = g / r;
                    g = w[i + 1] - p;
                    r = (w[i] - g) * s + 2 * c * b;
                    p = s * r;
                    w[i + 1] = g + p;
                    g = c * r - b;
                    if (z) row::rotate(z + i * n, z + (i + 1) * n, c, s, n);
                }
                if (r == 0 && i >= l) continue;
                w[l] -= p;
                e[l] = g;
                e[m] = 0;
            }
        return true;
    }
    static T hypotenuse(T x, T y) {
        x = x < 0 ? -x : x;
        y = y < 0 ? -y : y;
        if (x < y) {
            T const t = x;
            x = y;
            y = t;
        }
        if (!(y > 0)) return x + y;
        return x * static_cast<T>(__builtin_sqrt(1 + (y / x) * (y / x)));
    }
    static bool sort(T* w, T* z, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t least = i;
            for (std::int64_t j = i + 1; j < n; ++j)
                if (w[j] < w[least]) least = j;
            if (least == i) continue;
            row::swap(w + i, w + least, 1);
            if (z) row::swap(z + i * n, z + least * n, n);
        }
        return true;
    }
};

}  // namespace tapeless::detail::kernels_part
