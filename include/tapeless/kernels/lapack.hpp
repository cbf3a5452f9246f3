// SPDX-License-Identifier: MIT
#pragma once
// With TAPELESS_USE_LAPACK defined, the factors of large matrices are made by an installed LAPACK (its C interface);
// nothing here is used without.

#include <cstddef>
#include <cstdint>

#ifdef TAPELESS_USE_LAPACK
#include <lapacke.h>
#endif

namespace tapeless::detail::inline kernels_part {

#ifdef TAPELESS_USE_LAPACK
inline constexpr bool uses_lapack = true;
#else
inline constexpr bool uses_lapack = false;
#endif

/// From so many rows on LAPACK is the faster one (bench_linalg); of eigenvalues and singular values.
inline constexpr std::int64_t rows_for_lapack = 256, spectrum_for_lapack = 64;
/// Numbers (elements of T) that LAPACK needs besides the matrices, which the kernels have room for anyway: of
/// eigenvalues, and of singular values of n vectors of m; integers are counted as two numbers each, and one more for
/// where they begin.
constexpr std::int64_t lapack_eigen_room(std::int64_t n) { return uses_lapack ? 2 * n * n + 16 * n + 16 : 0; }
constexpr std::int64_t lapack_singular_room(std::int64_t n, std::int64_t m) {
    return uses_lapack ? 5 * n * n + 23 * n + m + 8 : 0;
}

#ifdef TAPELESS_USE_LAPACK
/// a = uᵀ u of the upper triangle of a, in its place; by columns, as LAPACK has them, it is the lower one. Where a is
/// not positive definite something on the diagonal is 0.
template <class T>
void lapack_cholesky(T* a, std::ptrdiff_t a_row, std::int64_t rows) {
    int const n = static_cast<int>(rows), row = static_cast<int>(a_row);
    int info = 0;
    if constexpr (sizeof(T) == 4) info = static_cast<int>(LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', n, a, row));
    else info = static_cast<int>(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, row));
    if (info > 0) a[(info - 1) * (a_row + 1)] = 0;
}
/// p a = l u in the place of a, which is transposed for the time being; row i of p a is row from[i] of a. `pivots` has
/// room for n.
template <class T>
void lapack_lu(T* a, std::ptrdiff_t a_row, std::int64_t rows, T* from, lapack_int* pivots) {
    auto const transpose = [&] {
        constexpr std::int64_t some = 8;
        for (std::int64_t i0 = 0; i0 < rows; i0 += some)
            for (std::int64_t j0 = 0; j0 <= i0; j0 += some)
                for (std::int64_t i = i0; i < rows && i < i0 + some; ++i)
                    for (std::int64_t j = j0; j < i && j < j0 + some; ++j) {
                        T const t = a[i * a_row + j];
                        a[i * a_row + j] = a[j * a_row + i];
                        a[j * a_row + i] = t;
                    }
    };
    int const n = static_cast<int>(rows), row = static_cast<int>(a_row);
    transpose();
    if constexpr (sizeof(T) == 4) (void)LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, n, n, a, row, pivots);
    else (void)LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, row, pivots);
    transpose();
    for (std::int64_t i = 0; i < rows; ++i) from[i] = static_cast<T>(i);
    for (std::int64_t i = 0; i < rows; ++i) {
        T const t = from[i];
        from[i] = from[pivots[i] - 1];
        from[pivots[i] - 1] = t;
    }
}

/// w, by columns m by n with m >= n, becomes r above and on its diagonal and the reflections below; lapack_q makes q of
/// those. `work` has room for `room` >= n.
template <class T>
void lapack_qr(T* w, std::int64_t m, std::int64_t n, T* tau, T* work, std::int64_t room) {
    auto const rows = static_cast<lapack_int>(m), columns = static_cast<lapack_int>(n);
    auto const some = static_cast<lapack_int>(room);
    if constexpr (sizeof(T) == 4) (void)LAPACKE_sgeqrf_work(LAPACK_COL_MAJOR, rows, columns, w, rows, tau, work, some);
    else (void)LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, columns, w, rows, tau, work, some);
}
template <class T>
void lapack_q(T* w, std::int64_t m, std::int64_t n, T const* tau, T* work, std::int64_t room) {
    auto const rows = static_cast<lapack_int>(m), columns = static_cast<lapack_int>(n);
    auto const some = static_cast<lapack_int>(room);
    if constexpr (sizeof(T) == 4)
        (void)LAPACKE_sorgqr_work(LAPACK_COL_MAJOR, rows, columns, columns, w, rows, tau, work, some);
    else (void)LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, rows, columns, columns, w, rows, tau, work, some);
}
/// Where integers can stand behind p.
template <class T>
lapack_int* lapack_integers(T* p) {
    auto const at = reinterpret_cast<std::uintptr_t>(p);
    return reinterpret_cast<lapack_int*>((at + alignof(lapack_int) - 1) / alignof(lapack_int) * alignof(lapack_int));
}
/// The eigenvalues w of a symmetric matrix of finite numbers, ascending; its rows become the eigenvectors where they
/// are wanted. `work` has lapack_eigen_room(n).
template <class T>
bool lapack_eigen(T* a, std::int64_t rows, bool vectors, T* w, T* work) {
    auto const n = static_cast<lapack_int>(rows);
    lapack_int const some = 1 + 6 * n + 2 * n * n, integers = 3 + 5 * n;
    lapack_int* const i = lapack_integers(work + some);
    char const job = vectors ? 'V' : 'N';
    if constexpr (sizeof(T) == 4)
        return LAPACKE_ssyevd_work(LAPACK_COL_MAJOR, job, 'L', n, a, n, w, work, some, i, integers) == 0;
    else return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', n, a, n, w, work, some, i, integers) == 0;
}
/// The singular values s, descending, of a matrix of finite numbers, by columns m by n with m >= n; where vectors are
/// wanted, a becomes u, and v becomes v, by rows. `work` has lapack_singular_room(n, m).
template <class T>
bool lapack_singular(T* a, std::int64_t m, std::int64_t n, bool vectors, T* s, T* v, T* work) {
    auto const rows = static_cast<lapack_int>(m), columns = static_cast<lapack_int>(n);
    lapack_int const some = 5 * columns * columns + 7 * columns + rows;
    lapack_int* const i = lapack_integers(work + some);
    char const job = vectors ? 'O' : 'N';
    if constexpr (sizeof(T) == 4)
        return LAPACKE_sgesdd_work(LAPACK_COL_MAJOR, job, rows, columns, a, rows, s, a, rows, v, columns, work, some,
                                   i) == 0;
    else
        return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, rows, columns, a, rows, s, a, rows, v, columns, work, some,
                                   i) == 0;
}
/// Whether LAPACK's integers can count the room of a matrix.
inline bool fits_lapack(std::int64_t m, std::int64_t n) { return m < 16000 && n < 16000; }
#endif

}  // namespace tapeless::detail::kernels_part
