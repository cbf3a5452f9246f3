// SPDX-License-Identifier: MIT
#pragma once
// OpenBLAS's products on one thread, where CMake found it.

#include "product.hpp"

#ifdef TAPELESS_BENCH_OPENBLAS

#include <cblas.h>

#include <tapeless/array/tensor.hpp>
#include <type_traits>

extern "C" void openblas_set_num_threads(int);  // a plain cblas.h does not declare it

struct product_by_blas {
    static constexpr bool present = true;
    static void use_one_thread() { openblas_set_num_threads(1); }

    template <form F, class T>
    static void multiply(product_size s, T const* a, T const* b, T* c) {
        int const m = static_cast<int>(s.m), k = static_cast<int>(s.k), n = static_cast<int>(s.n);
        constexpr auto left = F == form::left_transposed ? CblasTrans : CblasNoTrans;
        constexpr auto right = F == form::right_transposed ? CblasTrans : CblasNoTrans;
        int const row_of_a = F == form::left_transposed ? m : k, row_of_b = F == form::right_transposed ? k : n;
        if constexpr (std::is_same_v<T, float>)
            cblas_sgemm(CblasRowMajor, left, right, m, n, k, 1, a, row_of_a, b, row_of_b, 0, c, n);
        else cblas_dgemm(CblasRowMajor, left, right, m, n, k, 1, a, row_of_a, b, row_of_b, 0, c, n);
    }
};

/// One product; its result is aligned as ours is.
template <class T, form F>
class blas_product {
public:
    static constexpr bool present = true;
    blas_product(product_size s, T const* a, T const* b) : size_(s), a_(a), b_(b), c_(s.m * s.n) {}
    T run() {
        product_by_blas::multiply<F>(size_, a_, b_, c_.data());
        return c_(0);
    }
    T const* result() const { return c_.data(); }

private:
    product_size size_;
    T const *a_, *b_;
    tapeless::tensor<T, tapeless::dyn> c_;
};

#else

struct product_by_blas {
    static constexpr bool present = false;
    static void use_one_thread() {}
};
template <class T, form>
using blas_product = absent_product<T>;

#endif
