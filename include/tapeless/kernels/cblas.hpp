// SPDX-License-Identifier: MIT
#pragma once
// With TAPELESS_USE_CBLAS defined, large products go to an installed CBLAS; nothing here is used without.

#include <cstddef>
#include <cstdint>

#ifdef TAPELESS_USE_CBLAS
#include <cblas.h>
#endif

namespace tapeless::detail::inline kernels_part {

#ifdef TAPELESS_USE_CBLAS
inline constexpr bool uses_cblas = true;
#else
inline constexpr bool uses_cblas = false;
#endif

/// Whether a matrix with these strides is one that CBLAS reads, as it is or transposed, and its leading dimension an
/// int.
constexpr bool is_blas_matrix(std::ptrdiff_t row, std::ptrdiff_t column, std::int64_t rows, std::int64_t columns) {
    return (column == 1 && row >= columns && row <= 0x7fffffff) || (row == 1 && column >= rows && column <= 0x7fffffff);
}

/// to = left right, or to += left right.
#ifdef TAPELESS_USE_CBLAS
template <class T>
void call_cblas(T const* left, std::ptrdiff_t left_row, std::ptrdiff_t left_k, T const* right, std::ptrdiff_t right_k,
                std::ptrdiff_t right_column, T* to, std::ptrdiff_t to_row, std::int64_t rows, std::int64_t columns,
                std::int64_t depth, bool add) {
    CBLAS_TRANSPOSE const a = left_k == 1 ? CblasNoTrans : CblasTrans,
                          b = right_column == 1 ? CblasNoTrans : CblasTrans;
    int const lda = static_cast<int>(left_k == 1 ? left_row : left_k),
              ldb = static_cast<int>(right_column == 1 ? right_k : right_column);
    int const m = static_cast<int>(rows), n = static_cast<int>(columns), k = static_cast<int>(depth),
              ldc = static_cast<int>(to_row);
    if constexpr (sizeof(T) == 4)
        cblas_sgemm(CblasRowMajor, a, b, m, n, k, 1.0f, left, lda, right, ldb, add ? 1.0f : 0.0f, to, ldc);
    else cblas_dgemm(CblasRowMajor, a, b, m, n, k, 1.0, left, lda, right, ldb, add ? 1.0 : 0.0, to, ldc);
}
#endif

}  // namespace tapeless::detail::kernels_part
