// SPDX-License-Identifier: MIT
#pragma once
// A stand-in for an installed LAPACKE: the functions that the library calls, counted. Matrices are in columns.

#include <cmath>

using lapack_int = int;
inline constexpr int LAPACK_COL_MAJOR = 102;

inline int lapack_calls = 0;

/// a = l lᵀ in the lower triangle; the number of the first pivot that is not positive, from 1.
template <class T>
int stand_in_potrf(char triangle, int n, T* a, int lda) {
    ++lapack_calls;
    if (triangle != 'L') return -2;
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k)
            for (int i = j; i < n; ++i) a[i + j * lda] -= a[i + k * lda] * a[j + k * lda];
        if (!(a[j + j * lda] > 0)) return j + 1;
        T const root = std::sqrt(a[j + j * lda]);
        for (int i = j; i < n; ++i) a[i + j * lda] /= root;
    }
    return 0;
}
/// p a = l u; pivots count from 1.
template <class T>
int stand_in_getrf(int n, T* a, int lda, lapack_int* pivots) {
    ++lapack_calls;
    int info = 0;
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(a[i + k * lda]) > std::abs(a[p + k * lda])) p = i;
        pivots[k] = p + 1;
        for (int j = 0; j < n && p != k; ++j) {
            T const t = a[k + j * lda];
            a[k + j * lda] = a[p + j * lda];
            a[p + j * lda] = t;
        }
        if (a[k + k * lda] == 0) {
            if (info == 0) info = k + 1;
            continue;
        }
        for (int i = k + 1; i < n; ++i) a[i + k * lda] /= a[k + k * lda];
        for (int j = k + 1; j < n; ++j)
            for (int i = k + 1; i < n; ++i) a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
    }
    return info;
}
inline int LAPACKE_spotrf_work(int, char t, int n, float* a, int lda) { return stand_in_potrf(t, n, a, lda); }
inline int LAPACKE_dpotrf_work(int, char t, int n, double* a, int lda) { return stand_in_potrf(t, n, a, lda); }
inline int LAPACKE_sgetrf_work(int, int, int n, float* a, int lda, lapack_int* p) {
    return stand_in_getrf(n, a, lda, p);
}
inline int LAPACKE_dgetrf_work(int, int, int n, double* a, int lda, lapack_int* p) {
    return stand_in_getrf(n, a, lda, p);
}
