// SPDX-License-Identifier: MIT
#pragma once
// Functions of a few numbers, whose length is known, and their gradients, by hand.

#include "loop_tools.hpp"

namespace handwritten {

/// Squares added up. N is no multiple of registers: what is left goes number by number.
template <int N, class T>
[[gnu::noinline]] T squares(T* g, T const* x) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, R = N / L;
    B sum(T(0));
    unroll<R>([&](auto r) __attribute__((always_inline)) {
        B const v = simd::load(x + r * L);
        sum = simd::fma(v, v, sum);
        simd::store(g + r * L, v + v);
    });
    T s = simd::reduce_add(sum);
    unroll<N - R * L>([&](auto i) __attribute__((always_inline)) {
        T const v = x[R * L + i];
        s += v * v;
        g[R * L + i] = v + v;
    });
    return s;
}

/// The function of Rosenbrock: 100 (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 added up.
template <int N, class T>
[[gnu::noinline]] T rosenbrock(T* g, T const* x) {
    T s = 0, before = 0;
    unroll<N - 1>([&](auto i) __attribute__((always_inline)) {
        T const d = x[i + 1] - x[i] * x[i], e = 1 - x[i];
        s += 100 * d * d + e * e;
        g[i] = before - 400 * d * x[i] - 2 * e;
        before = 200 * d;
    });
    g[N - 1] = before;
    return s;
}

/// x'Ax, row by row.
template <int N, class T>
[[gnu::noinline]] T quadratic(T* g, T const* x, T const* a) {
    T s = 0, rows[N];
    unroll<N>([&](auto j) __attribute__((always_inline)) { rows[j] = 0; });
    for (int i = 0; i < N; ++i) {
        T t = 0;
        unroll<N>([&](auto j) __attribute__((always_inline)) {
            t += a[i * N + j] * x[j];
            rows[j] += a[i * N + j] * x[i];
        });
        rows[i] += t;
        s += t * x[i];
    }
    unroll<N>([&](auto j) __attribute__((always_inline)) { g[j] = rows[j]; });
    return s;
}

}  // namespace handwritten
