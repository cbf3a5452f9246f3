// SPDX-License-Identifier: MIT
#pragma once
// mean(0.5 ((x - mu) / sigma)^2 + log sigma) and its gradients by mu and log sigma, by hand.

#include "loop_tools.hpp"

namespace handwritten {

// With d = x - mu all three follow from sum d and sum d^2.
template <class T>
[[gnu::noinline]] T gaussian(T* g_mu, T* g_log_sigma, T const* x, std::int64_t n, T mu, T log_sigma) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = registers / 4;
    B const m(mu);
    long_sum<T> sum_d, sum_dd;
    T const* const end = x + n;
    while (end - x >= U * L) {
        B s[U], q[U];
        unroll<U>([&](auto u) __attribute__((always_inline)) { s[u] = q[u] = B(T(0)); });
        std::int64_t tiles = (end - x) / (U * L);
        if (tiles > block) tiles = block;
        for (; tiles > 0; --tiles, x += U * L)
            unroll<U>([&](auto u) __attribute__((always_inline)) {
                B const d = simd::load(x + u * L) - m;
                s[u] = s[u] + d;
                q[u] = simd::fma(d, d, q[u]);
            });
        unroll<U - 1>([&](auto u) __attribute__((always_inline)) {
            s[0] = s[0] + s[u + 1];
            q[0] = q[0] + q[u + 1];
        });
        sum_d.add(s[0]);
        sum_dd.add(q[0]);
    }
    B s(T(0)), q(T(0));
    for (; x < end; x += L) {
        B const d = (end - x < L ? simd::load_partial(x, static_cast<int>(end - x), mu) : simd::load(x)) - m;
        s = s + d;
        q = simd::fma(d, d, q);
    }
    sum_d.add(s);
    sum_dd.add(q);
    double const inv = 1 / static_cast<double>(simd::exp(log_sigma)), count = static_cast<double>(n);
    double const z = sum_d.result() * inv / count, zz = sum_dd.result() * inv * inv / count;
    *g_mu = static_cast<T>(-z * inv);
    *g_log_sigma = static_cast<T>(1 - zz);
    return static_cast<T>(0.5 * zz + static_cast<double>(log_sigma));
}

}  // namespace handwritten
