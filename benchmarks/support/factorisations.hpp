// SPDX-License-Identifier: MIT
#pragma once
// Factors of matrices and solutions of systems by LAPACK and by Eigen, on one thread, where CMake found them.
// Matrices are in rows, as ours are: what LAPACK calls upper is our lower.

#ifdef TAPELESS_BENCH_OPENBLAS
#include <cblas.h>

extern "C" {
void dpotrf_(char const*, int const*, double*, int const*, int*);
void dpotri_(char const*, int const*, double*, int const*, int*);
void dgetrf_(int const*, int const*, double*, int const*, int*, int*);
void dgetrs_(char const*, int const*, int const*, double const*, int const*, int const*, double*, int const*, int*);
void openblas_set_num_threads(int);
}
struct lapack {
    static constexpr bool present = true;
    static void use_one_thread() { openblas_set_num_threads(1); }
    /// The lower triangle of a becomes l; what is above stays.
    static void cholesky(int n, double* a) {
        int info = 0;
        dpotrf_("U", &n, a, &n, &info);
    }
    /// After cholesky: the lower triangle of the inverse.
    static void invert_cholesky(int n, double* a) {
        int info = 0;
        dpotri_("U", &n, a, &n, &info);
    }
    /// b (columns of n) becomes a^-1 b; a the factors of its transpose.
    static void solve(int n, double* a, int* pivots, int columns, double* b) {
        int info = 0;
        dgetrf_(&n, &n, a, &n, pivots, &info);
        dgetrs_("T", &n, &columns, a, &n, pivots, b, &n, &info);
    }
    /// With the factors that solve left: b becomes a^-T b.
    static void solve_transposed(int n, double const* a, int const* pivots, int columns, double* b) {
        int info = 0;
        dgetrs_("N", &n, &columns, a, &n, pivots, b, &n, &info);
    }
    /// p (n by n) becomes l^-T p l^-1
    static void apply_inverses(int n, double const* l, double* p) {
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, l, n, p, n);
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, l, n, p, n);
    }
    /// g becomes l^T g
    static void multiply_transposed(int n, double const* l, double* g) {
        cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, l, n, g, n);
    }
};
#else
struct lapack {
    static constexpr bool present = false;
    static void use_one_thread() {}
    static void cholesky(int, double*) {}
    static void invert_cholesky(int, double*) {}
    static void solve(int, double*, int*, int, double*) {}
    static void solve_transposed(int, double const*, int const*, int, double*) {}
    static void apply_inverses(int, double const*, double*) {}
    static void multiply_transposed(int, double const*, double*) {}
};
#endif

#ifdef TAPELESS_BENCH_EIGEN
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Cholesky>
#include <Eigen/LU>

/// Of n rows, known when compiled where N is not Eigen::Dynamic.
template <class T, int N>
struct eigen {
    static constexpr bool present = true;
    using matrix = Eigen::Matrix<T, N, N, N == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
    using vector = Eigen::Matrix<T, N, 1>;
    static void cholesky(int n, T const* a, T* l) {
        Eigen::Map<matrix const> const in(a, n, n);
        Eigen::Map<matrix> out(l, n, n);
        Eigen::LLT<matrix> const f(in);
        out = f.matrixL();
    }
    static void solve(int n, T const* a, T const* b, T* x) {
        Eigen::Map<matrix const> const in(a, n, n);
        Eigen::Map<vector const> const right(b, n);
        Eigen::Map<vector> out(x, n);
        out = in.partialPivLu().solve(right);
    }
};
inline constexpr int of_any_size = Eigen::Dynamic;
#else
template <class T, int N>
struct eigen {
    static constexpr bool present = false;
    static void cholesky(int, T const*, T*) {}
    static void solve(int, T const*, T const*, T*) {}
};
inline constexpr int of_any_size = -1;
#endif
