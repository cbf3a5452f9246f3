// SPDX-License-Identifier: MIT
#pragma once
// The same products by Tapeless, returned as a new tensor and written to one that is there.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <type_traits>

#include "product.hpp"

template <form F>
inline constexpr auto product_function = [](auto a, auto b) { return matmul(a, b); };
template <>
inline constexpr auto product_function<form::right_transposed> = [](auto a, auto b) { return matmul(a, transpose(b)); };
template <>
inline constexpr auto product_function<form::left_transposed> = [](auto a, auto b) { return matmul(transpose(a), b); };

template <class T, form F, int M, int K, int N>
class library_product {
    template <int E>
    static constexpr auto extent() {
        if constexpr (E == run_time) return tapeless::dyn;
        else return E;
    }
    template <int Rows, int Columns>
    using matrix = tapeless::tensor<T, extent<Rows>(), extent<Columns>()>;
    using left = std::conditional_t<F == form::left_transposed, matrix<K, M>, matrix<M, K>>;
    using right = std::conditional_t<F == form::right_transposed, matrix<N, K>, matrix<K, N>>;
    using result_type = matrix<M, N>;

public:
    library_product(product_size s, T const* a, T const* b)
        : a_(F == form::left_transposed ? left::with_extents({s.k, s.m}) : left::with_extents({s.m, s.k})),
          b_(F == form::right_transposed ? right::with_extents({s.n, s.k}) : right::with_extents({s.k, s.n})),
          c_(result_type::with_extents({s.m, s.n})) {
        std::copy_n(a, a_.size(), a_.begin());
        std::copy_n(b, b_.size(), b_.begin());
    }
    /// A new tensor a call; allocated unless it is small and static.
    auto returned() { return product_(a_, b_); }
    T run() {
        product_(tapeless::into(c_), a_, b_);
        return *c_.data();
    }
    T const* result() const { return c_.data(); }

private:
    left a_;
    right b_;
    result_type c_;
    decltype(tapeless::fused(product_function<F>)) product_;
};
