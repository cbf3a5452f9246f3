// SPDX-License-Identifier: MIT
#pragma once
// A stand-in for an installed CBLAS: the two functions that the library calls, counted.

enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };

inline int cblas_calls = 0;

template <class T>
void stand_in_gemm(CBLAS_TRANSPOSE a_form, CBLAS_TRANSPOSE b_form, int m, int n, int k, T const* a, int lda, T const* b, int ldb,
                   bool add, T* c, int ldc) {
    ++cblas_calls;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = add ? static_cast<double>(c[i * ldc + j]) : 0.0;
            for (int x = 0; x < k; ++x)
                s += static_cast<double>(a_form == CblasNoTrans ? a[i * lda + x] : a[x * lda + i]) *
                     static_cast<double>(b_form == CblasNoTrans ? b[x * ldb + j] : b[j * ldb + x]);
            c[i * ldc + j] = static_cast<T>(s);
        }
}
inline void cblas_sgemm(CBLAS_ORDER, CBLAS_TRANSPOSE a_form, CBLAS_TRANSPOSE b_form, int m, int n, int k, float, float const* a,
                        int lda, float const* b, int ldb, float beta, float* c, int ldc) {
    stand_in_gemm(a_form, b_form, m, n, k, a, lda, b, ldb, beta != 0.0f, c, ldc);
}
inline void cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE a_form, CBLAS_TRANSPOSE b_form, int m, int n, int k, double, double const* a,
                        int lda, double const* b, int ldb, double beta, double* c, int ldc) {
    stand_in_gemm(a_form, b_form, m, n, k, a, lda, b, ldb, beta != 0.0, c, ldc);
}
