// SPDX-License-Identifier: MIT
#pragma once
// Singular values and vectors, by one-sided Jacobi rotations.

#include <limits>

#include <tapeless/kernels/lapack.hpp>
#include <tapeless/kernels/rows.hpp>

namespace tapeless::detail::inline kernels_part {

template <class T, class Build = simd::batch<T>>
struct singular_values {
    using row = rows<T, Build>;
    static constexpr int most_sweeps = 60;

    /// Elements of room for `count` vectors of `length` (the shorter axis of the matrix, and the longer one).
    static constexpr std::int64_t room(std::int64_t count, std::int64_t length) {
        return count * (length + count + 1) + lapack_singular_room(count, length);
    }

    /// a (m by n) = u diag(s) vᵀ, s in descending order; vectors only where u.at is there. False where they were not
    /// found. Of a matrix with NaN or infinity all are NaN.
    static bool solve(matrix_view<T const> a, std::int64_t m, std::int64_t n, matrix_view<T> u, T* s,
                      std::ptrdiff_t s_step, matrix_view<T> v, T* memory) {
        if (m < n) return solve(a.transposed(), n, m, v, s, s_step, u, memory);
        T* const x = memory;     // rows: the columns of a, which become those of u diag(s)
        T* const y = x + n * m;  // rows: the columns of v
        T* const length = y + n * n;
        bool const vectors = u.at != nullptr;
        row::copy(x, m, a.transposed(), n, m);
        if (!row::all_finite(x, n * m)) {
            constexpr T nan = std::numeric_limits<T>::quiet_NaN();
            for (std::int64_t i = 0; i < n; ++i) s[i * s_step] = nan;
            if (!vectors) return true;
            row::fill(x, nan, n * m);
            row::copy(u, {x, static_cast<std::ptrdiff_t>(n), 1}, m, n);
            row::copy(v, {x, static_cast<std::ptrdiff_t>(n), 1}, n, n);
            return true;
        }
#ifdef TAPELESS_USE_LAPACK
        if (n >= spectrum_for_lapack && fits_lapack(m, n)) {
            bool const found = lapack_singular(x, m, n, vectors, length, y, length + n);
            for (std::int64_t i = 0; i < n; ++i) s[i * s_step] = length[i];
            if (!vectors) return found;
            row::copy(u, {x, 1, static_cast<std::ptrdiff_t>(m)}, m, n);
            row::copy(v, {y, static_cast<std::ptrdiff_t>(n), 1}, n, n);
            return found;
        }
#endif
        // so that no square overflows or vanishes
        T most = 0;
        for (std::int64_t i = 0; i < n * m; ++i) {
            T const t = x[i] < 0 ? -x[i] : x[i];
            most = t > most ? t : most;
        }
        bool const scaled = most > T(1e12) || (most > 0 && most < T(1e-12));
        if (scaled) row::scale(x, 1 / most, n * m);
        row::fill(y, 0, vectors ? n * n : 0);
        for (std::int64_t i = 0; i < n && vectors; ++i) y[i * n + i] = 1;
        bool const done = sweep(x, m, vectors ? y : nullptr, n);
        for (std::int64_t i = 0; i < n; ++i) length[i] = row::norm(x + i * m, m);
        for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t largest = i;
            for (std::int64_t j = i + 1; j < n; ++j)
                if (length[j] > length[largest]) largest = j;
            if (largest != i) {
                row::swap(length + i, length + largest, 1);
                if (vectors) {
                    row::swap(x + i * m, x + largest * m, m);
                    row::swap(y + i * n, y + largest * n, n);
                }
            }
            s[i * s_step] = scaled ? length[i] * most : length[i];
        }
        if (!vectors) return done;
        for (std::int64_t i = 0; i < n; ++i) {
            if (length[i] > std::numeric_limits<T>::min() || length[i] != length[i])
                row::scale(x + i * m, 1 / length[i], m);
            else complete(x, m, i);
        }
        row::copy(u, {x, 1, static_cast<std::ptrdiff_t>(m)}, m, n);
        row::copy(v, {y, 1, static_cast<std::ptrdiff_t>(n)}, n, n);
        return done;
    }

private:
    /// Turns pairs of rows until all are orthogonal.
    static bool sweep(T* x, std::int64_t m, T* y, std::int64_t n) {
        constexpr T eps = std::numeric_limits<T>::epsilon();
        for (int turn = 0; turn < most_sweeps; ++turn) {
            bool turned = false;
            for (std::int64_t p = 0; p + 1 < n; ++p)
                for (std::int64_t q = p + 1; q < n; ++q) {
                    T const a = row::dot(x + p * m, x + p * m, m), b = row::dot(x + q * m, x + q * m, m),
                            c = row::dot(x + p * m, x + q * m, m);
                    T const size = c < 0 ? -c : c;
                    if (!(size > eps * static_cast<T>(__builtin_sqrt(a)) * static_cast<T>(__builtin_sqrt(b)))) continue;
                    turned = true;
                    T const z = (b - a) / (2 * c), root = static_cast<T>(__builtin_sqrt(1 + z * z));
                    T const t = root - root == 0 ? 1 / (z + (z < 0 ? -root : root)) : 1 / (2 * z);
                    T const cosine = 1 / static_cast<T>(__builtin_sqrt(1 + t * t)), sine = cosine * t;
                    row::rotate(x + p * m, x + q * m, cosine, sine, m);
                    if (y) row::rotate(y + p * n, y + q * n, cosine, sine, n);
                }
            if (!turned) return true;
        }
        return false;
    }
    /// Row i becomes some unit vector that is orthogonal to those before it.
    static void complete(T* x, std::int64_t m, std::int64_t i) {
        T* const to = x + i * m;
        for (std::int64_t axis = 0; axis < m; ++axis) {
            row::fill(to, 0, m);
            to[axis] = 1;
            for (int twice = 0; twice < 2; ++twice)
                for (std::int64_t k = 0; k < i; ++k) row::add(to, -row::dot(to, x + k * m, m), x + k * m, m);
            T const size = row::norm(to, m);
            if (size * size * static_cast<T>(2 * m) < 1) continue;  // one of the axes has at least 1/m of it left
            row::scale(to, 1 / size, m);
            return;
        }
    }
};

}  // namespace tapeless::detail::kernels_part
