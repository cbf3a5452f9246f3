// SPDX-License-Identifier: MIT
#pragma once
// With TAPELESS_USE_LAPACK defined, the factors of large matrices are made by an installed LAPACK (its C interface);
// nothing here is used without.

#include <cstddef>
#include <cstdint>

#ifdef TAPELESS_USE_LAPACK
#include <lapacke.h>
#endif

namespace tapeless::detail {

#ifdef TAPELESS_USE_LAPACK
inline constexpr bool uses_lapack = true;
#else
inline constexpr bool uses_lapack = false;
#endif

/// From so many rows on LAPACK is the faster one (bench_linalg).
inline constexpr std::int64_t rows_for_lapack = 256;

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
#endif

}  // namespace tapeless::detail
