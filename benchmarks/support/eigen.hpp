// SPDX-License-Identifier: MIT
#pragma once
// Eigen's products on one thread, where CMake found it: extents that the compiler knows, or `run_time`.

#include "product.hpp"

#ifdef TAPELESS_BENCH_EIGEN

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include <type_traits>

template <class T, form F, int M, int K, int N>
class eigen_product {
    static_assert(run_time == Eigen::Dynamic);
    template <int Rows, int Columns>
    using matrix = Eigen::Matrix<T, Rows, Columns, Eigen::RowMajor>;
    using left = std::conditional_t<F == form::left_transposed, matrix<K, M>, matrix<M, K>>;
    using right = std::conditional_t<F == form::right_transposed, matrix<N, K>, matrix<K, N>>;

public:
    static constexpr bool present = true;
    eigen_product(product_size s, T const* a, T const* b)
        : a_(F == form::left_transposed ? Eigen::Map<left const>(a, s.k, s.m) : Eigen::Map<left const>(a, s.m, s.k)),
          b_(F == form::right_transposed ? Eigen::Map<right const>(b, s.n, s.k)
                                         : Eigen::Map<right const>(b, s.k, s.n)) {
        c_.setZero(s.m, s.n);
    }
    T run() {
        if constexpr (F == form::plain) c_.noalias() = a_ * b_;
        else if constexpr (F == form::right_transposed) c_.noalias() = a_ * b_.transpose();
        else c_.noalias() = a_.transpose() * b_;
        return c_(0, 0);
    }
    T const* result() const { return c_.data(); }

private:
    left a_;
    right b_;
    matrix<M, N> c_;
};

#else

template <class T, form, int, int, int>
using eigen_product = absent_product<T>;

#endif
