// SPDX-License-Identifier: MIT
#pragma once
// The mean squared error of a polynomial, and its gradient by the coefficients, by hand.

#include "loop_tools.hpp"

namespace handwritten {

/// mean over i of (w[0] + w[1] x[i] + ... - y[i])^2. n is a multiple of U registers.
template <int J, class T>
[[gnu::noinline]] T polynomial(T* g, T const* w, T const* x, T const* y, std::int64_t n) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = 4;
    B by[J], squares(T(0));
    unroll<J>([&](auto j) __attribute__((always_inline)) { by[j] = B(T(0)); });
    for (std::int64_t i = 0; i + U * L <= n; i += U * L) {
        B at[U], r[U];
        unroll<U>([&](auto u) __attribute__((always_inline)) {
            at[u] = simd::load(x + i + u * L);
            r[u] = B(w[J - 1]);
        });
        unroll<J - 1>([&](auto j) __attribute__((always_inline)) {
            unroll<U>([&](auto u) __attribute__((always_inline)) { r[u] = simd::fma(r[u], at[u], B(w[J - 2 - j])); });
        });
        unroll<U>([&](auto u) __attribute__((always_inline)) {
            r[u] = r[u] - simd::load(y + i + u * L);
            squares = simd::fma(r[u], r[u], squares);
        });
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            by[j] = by[j] + ((r[0] + r[1]) + (r[2] + r[3]));
            unroll<U>([&](auto u) __attribute__((always_inline)) { r[u] = r[u] * at[u]; });
        });
    }
    T const each = T(1) / static_cast<T>(n);
    unroll<J>([&](auto j) __attribute__((always_inline)) { g[j] = 2 * each * simd::reduce_add(by[j]); });
    return each * simd::reduce_add(squares);
}

}  // namespace handwritten
