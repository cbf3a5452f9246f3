// SPDX-License-Identifier: MIT
#pragma once
// mean(0.5 ((x - mu) / sigma)^2 + log sigma) and its gradients by mu and log sigma, by hand.

#include "loop_tools.hpp"

namespace handwritten {

// With d = x - mu all three follow from sum d and sum d^2.
template <class T>
[[gnu::noinline]] T gaussian(T* g_mu, T* g_log_sigma, T const* x, std::int64_t n, T mu, T log_sigma) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = 4;
    B const m(mu);
    long_sum<T> sum_d, sum_dd;
    auto const all = [](B const* p) __attribute__((always_inline)) { return (p[0] + p[1]) + (p[2] + p[3]); };
    std::int64_t i = 0;
    while (i + U * L <= n) {
        B s[U] = {B(T(0)), B(T(0)), B(T(0)), B(T(0))}, q[U] = {B(T(0)), B(T(0)), B(T(0)), B(T(0))};
        std::int64_t const stop = n - i > block * U * L ? i + block * U * L : n;
        for (; i + U * L <= stop; i += U * L)
            unroll<U>([&](auto u) __attribute__((always_inline)) {
                B const d = simd::load(x + i + u * L) - m;
                s[u] = s[u] + d;
                q[u] = simd::fma(d, d, q[u]);
            });
        sum_d.add(all(s));
        sum_dd.add(all(q));
    }
    for (; i < n; i += L) {
        B const d = simd::load_partial(x + i, n - i < L ? static_cast<int>(n - i) : L, mu) - m;
        sum_d.add(d);
        sum_dd.add(d * d);
    }
    double const inv = 1 / static_cast<double>(simd::exp(log_sigma)), count = static_cast<double>(n);
    double const z = sum_d.result() * inv / count, zz = sum_dd.result() * inv * inv / count;
    *g_mu = static_cast<T>(-z * inv);
    *g_log_sigma = static_cast<T>(1 - zz);
    return static_cast<T>(0.5 * zz + static_cast<double>(log_sigma));
}

}  // namespace handwritten
