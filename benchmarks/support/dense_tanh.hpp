// SPDX-License-Identifier: MIT
#pragma once
// sum((tanh(x w + b) - y)^2) over (n, 64) and its gradients by w and b, by hand.

#include "loop_tools.hpp"

namespace handwritten {

// A strip of C batches of columns keeps its sums in registers while a block of rows, which stays in L1, goes by.
template <class T, int C = 2>
[[gnu::noinline]] T dense_tanh(T* g_w, T* g_b, T const* w, T const* b, T const* x, T const* y, std::int64_t n) {
    using B = simd::batch<T>;
    constexpr int M = 64, L = simd::lanes<T>;
    static_assert(M % (C * L) == 0);
    double total_w[M] = {}, total_b[M] = {};
    long_sum<T> loss;
    for (std::int64_t first = 0; first < n; first += block) {
        std::int64_t const last = n - first > block ? first + block : n;
        for (int c = 0; c < M; c += C * L) {
            B wc[C], bc[C], gw[C], gb[C], l[C];
            unroll<C>([&](auto u) __attribute__((always_inline)) {
                wc[u] = simd::load(w + c + u * L);
                bc[u] = simd::load(b + c + u * L);
                gw[u] = gb[u] = l[u] = B(T(0));
            });
            T const *px = x + first * M + c, *py = y + first * M + c;
            for (std::int64_t i = first; i < last; ++i, px += M, py += M)
                unroll<C>([&](auto u) __attribute__((always_inline)) {
                    B const in = simd::load(px + u * L);
                    B const h = simd::tanh(simd::fma(in, wc[u], bc[u]));
                    B const d = h - simd::load(py + u * L);
                    B const g = simd::fnma(d * h, h, d);  // d (1 - h^2); the factor 2 comes at the end
                    l[u] = simd::fma(d, d, l[u]);
                    gb[u] = gb[u] + g;
                    gw[u] = simd::fma(g, in, gw[u]);
                });
            unroll<C>([&](auto u) __attribute__((always_inline)) {
                add_lanes<T>(total_w + c + u * L, gw[u]);
                add_lanes<T>(total_b + c + u * L, gb[u]);
                loss.add(l[u]);
            });
        }
    }
    for (int c = 0; c < M; ++c) {
        g_w[c] = static_cast<T>(2 * total_w[c]);
        g_b[c] = static_cast<T>(2 * total_b[c]);
    }
    return static_cast<T>(loss.result());
}

}  // namespace handwritten
