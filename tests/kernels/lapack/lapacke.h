// SPDX-License-Identifier: MIT
#pragma once
// A stand-in for an installed LAPACKE: the functions that the library calls, counted. Matrices are in columns.

#include <cmath>
#include <vector>

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

/// a, m by n, becomes r and below it the reflections 1 - tau v vᵀ, v being 1 on the diagonal.
template <class T>
int stand_in_geqrf(int m, int n, T* a, int lda, T* tau, int room) {
    ++lapack_calls;
    if (room < n) return -8;
    for (int j = 0; j < n; ++j) {
        T rest = 0;
        for (int i = j + 1; i < m; ++i) rest += a[i + j * lda] * a[i + j * lda];
        T const first = a[j + j * lda];
        tau[j] = 0;
        if (rest == 0) continue;
        T const beta = first > 0 ? -std::sqrt(first * first + rest) : std::sqrt(first * first + rest);
        tau[j] = (beta - first) / beta;
        for (int i = j + 1; i < m; ++i) a[i + j * lda] /= first - beta;
        a[j + j * lda] = beta;
        for (int k = j + 1; k < n; ++k) {
            T sum = a[j + k * lda];
            for (int i = j + 1; i < m; ++i) sum += a[i + j * lda] * a[i + k * lda];
            a[j + k * lda] -= tau[j] * sum;
            for (int i = j + 1; i < m; ++i) a[i + k * lda] -= tau[j] * sum * a[i + j * lda];
        }
    }
    return 0;
}
/// The first n columns of the product of those reflections.
template <class T>
int stand_in_orgqr(int m, int n, T* a, int lda, T const* tau) {
    ++lapack_calls;
    for (int j = n - 1; j >= 0; --j) {
        for (int k = j + 1; k < n; ++k) {
            T sum = 0;
            for (int i = j + 1; i < m; ++i) sum += a[i + j * lda] * a[i + k * lda];
            a[j + k * lda] = -tau[j] * sum;
            for (int i = j + 1; i < m; ++i) a[i + k * lda] -= tau[j] * sum * a[i + j * lda];
        }
        a[j + j * lda] = 1 - tau[j];
        for (int i = j + 1; i < m; ++i) a[i + j * lda] *= -tau[j];
    }
    return 0;
}
/// Columns of x (m by n) are turned until they are orthogonal, those of y (if any) with them; their lengths descend.
template <class T>
void stand_in_jacobi(int m, int n, T* x, T* y, T* length) {
    auto dot = [&](T const* p, T const* q) {
        T sum = 0;
        for (int i = 0; i < m; ++i) sum += p[i] * q[i];
        return sum;
    };
    for (int sweep = 0, turned = 1; sweep < 40 && turned; ++sweep) {
        turned = 0;
        for (int p = 0; p + 1 < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                T const a = dot(x + p * m, x + p * m), b = dot(x + q * m, x + q * m), c = dot(x + p * m, x + q * m);
                if (std::abs(c) <= T(sizeof(T) == 4 ? 1e-7 : 1e-16) * std::sqrt(a * b)) continue;
                turned = 1;
                T const z = (b - a) / (2 * c), t = (z < 0 ? -1 : 1) / (std::abs(z) + std::sqrt(1 + z * z));
                T const cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
                auto turn = [&](T* f, T* g, int k) {
                    for (int i = 0; i < k; ++i) {
                        T const s = f[i];
                        f[i] = cosine * s - sine * g[i];
                        g[i] = sine * s + cosine * g[i];
                    }
                };
                turn(x + p * m, x + q * m, m);
                if (y) turn(y + p * n, y + q * n, n);
            }
    }
    auto swap = [](T* f, T* g, int k) {
        for (int i = 0; i < k; ++i) {
            T const s = f[i];
            f[i] = g[i];
            g[i] = s;
        }
    };
    for (int p = 0; p < n; ++p) length[p] = std::sqrt(dot(x + p * m, x + p * m));
    for (int p = 0; p < n; ++p)
        for (int q = p + 1; q < n; ++q)
            if (length[q] > length[p]) {
                swap(length + p, length + q, 1);
                swap(x + p * m, x + q * m, m);
                if (y) swap(y + p * n, y + q * n, n);
            }
}
/// Eigenvalues of a positive definite matrix, ascending, and its eigenvectors as columns: as the singular ones.
template <class T>
int stand_in_syevd(char job, int n, T* a, int lda, T* w, int room, int integers) {
    ++lapack_calls;
    if (lda != n || room < 1 + 6 * n + 2 * n * n || integers < 3 + 5 * n) return -9;
    stand_in_jacobi<T>(n, n, a, nullptr, w);
    for (int p = 0, q = n - 1; p < q; ++p, --q) {
        T const s = w[p];
        w[p] = w[q];
        w[q] = s;
        for (int i = 0; i < n; ++i) {
            T const t = a[i + p * n];
            a[i + p * n] = a[i + q * n];
            a[i + q * n] = t;
        }
    }
    for (int p = 0; p < n; ++p)
        for (int i = 0; i < n; ++i) a[i + p * n] = job == 'V' ? a[i + p * n] / w[p] : T(-7);
    return 0;
}
/// u in the place of a, and vᵀ; or nothing but the values.
template <class T>
int stand_in_gesdd(char job, int m, int n, T* a, int lda, T* s, T* vt, int room) {
    ++lapack_calls;
    if (lda != m || m < n || room < 5 * n * n + 7 * n + m) return -12;
    if (job == 'N') return stand_in_jacobi<T>(m, n, a, nullptr, s), 0;
    if (job != 'O') return -1;
    std::vector<T> v(static_cast<std::size_t>(n * n));
    for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i * n + i)] = 1;
    stand_in_jacobi(m, n, a, v.data(), s);
    for (int p = 0; p < n; ++p) {
        for (int i = 0; i < m; ++i) a[i + p * m] /= s[p];
        for (int i = 0; i < n; ++i) vt[p + i * n] = v[static_cast<std::size_t>(p * n + i)];
    }
    return 0;
}
inline int LAPACKE_sgeqrf_work(int, int m, int n, float* a, int lda, float* tau, float*, int room) {
    return stand_in_geqrf(m, n, a, lda, tau, room);
}
inline int LAPACKE_dgeqrf_work(int, int m, int n, double* a, int lda, double* tau, double*, int room) {
    return stand_in_geqrf(m, n, a, lda, tau, room);
}
inline int LAPACKE_sorgqr_work(int, int m, int n, int, float* a, int lda, float const* tau, float*, int) {
    return stand_in_orgqr(m, n, a, lda, tau);
}
inline int LAPACKE_dorgqr_work(int, int m, int n, int, double* a, int lda, double const* tau, double*, int) {
    return stand_in_orgqr(m, n, a, lda, tau);
}
inline int LAPACKE_ssyevd_work(int, char job, char, int n, float* a, int lda, float* w, float*, int room, lapack_int*,
                               int integers) {
    return stand_in_syevd(job, n, a, lda, w, room, integers);
}
inline int LAPACKE_dsyevd_work(int, char job, char, int n, double* a, int lda, double* w, double*, int room,
                               lapack_int*, int integers) {
    return stand_in_syevd(job, n, a, lda, w, room, integers);
}
inline int LAPACKE_sgesdd_work(int, char job, int m, int n, float* a, int lda, float* s, float*, int, float* vt, int,
                               float*, int room, lapack_int*) {
    return stand_in_gesdd(job, m, n, a, lda, s, vt, room);
}
inline int LAPACKE_dgesdd_work(int, char job, int m, int n, double* a, int lda, double* s, double*, int, double* vt,
                               int, double*, int room, lapack_int*) {
    return stand_in_gesdd(job, m, n, a, lda, s, vt, room);
}
