// SPDX-License-Identifier: MIT
#pragma once
// Pairs of items by hand: the nearest of some centres, and the potential of Lennard and Jones.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "loop_tools.hpp"

namespace handwritten {

/// The sum of the squared distances to the nearest of k centres, and its gradient by these. `work` has room for
/// k (D + 1) numbers.
template <int D, class T>
[[gnu::noinline]] T nearest(T* g, T const* x, std::int64_t n, T const* c, std::int64_t k, T* work) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = 4;
    T *const across = work, *const row = work + D * k;
    for (std::int64_t j = 0; j < k; ++j)
        for (int d = 0; d < D; ++d) across[d * k + j] = c[j * D + d];
    std::fill(g, g + k * D, T(0));
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        T const* const at = x + i * D;
        T best = std::numeric_limits<T>::infinity();
        B least[U];
        unroll<U>([&](auto u) __attribute__((always_inline)) { least[u] = B(best); });
        std::int64_t j = 0;
        for (; j + U * L <= k; j += U * L) {
            B s[U];
            unroll<U>([&](auto u) __attribute__((always_inline)) { s[u] = B(T(0)); });
            unroll<D>([&](auto d) __attribute__((always_inline)) {
                unroll<U>([&](auto u) __attribute__((always_inline)) {
                    B const e = B(at[d]) - simd::load(across + d * k + j + u * L);
                    s[u] = simd::fma(e, e, s[u]);
                });
            });
            unroll<U>([&](auto u) __attribute__((always_inline)) {
                least[u] = simd::minimum(least[u], s[u]);
                simd::store(row + j + u * L, s[u]);
            });
        }
        for (; j < k; ++j) {
            row[j] = 0;
            for (int d = 0; d < D; ++d) row[j] += (at[d] - c[j * D + d]) * (at[d] - c[j * D + d]);
            best = std::min(best, row[j]);
        }
        unroll<U>([&](auto u) { best = std::min(best, simd::reduce_min(least[u])); });
        std::int64_t which = 0;
        while (row[which] != best) ++which;
        total += static_cast<double>(best);
        for (int d = 0; d < D; ++d) g[which * D + d] -= 2 * (at[d] - c[which * D + d]);
    }
    return static_cast<T>(total);
}

/// The sum over i < j of 4 (r^-12 - r^-6), and its gradient. `work` has room for 6 n numbers.
template <class T>
[[gnu::noinline]] T lennard_jones(T* g, T const* x, std::int64_t n, T* work) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>;
    T *const p = work, *const q = work + 3 * n;  // positions and gradients, coordinate by coordinate
    for (std::int64_t i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d) p[d * n + i] = x[i * 3 + d], q[d * n + i] = 0;
    auto const pairs = [&](auto const* at, auto& sum, auto* own, std::int64_t j, auto load, auto store)
        __attribute__((always_inline)) {
        using V = std::remove_cvref_t<decltype(sum)>;
        V e[3], r2 = V(T(0));
        unroll<3>([&](auto d) __attribute__((always_inline)) {
            e[d] = at[d] - load(p + d * n + j);
            r2 = r2 + e[d] * e[d];
        });
        V const r = V(T(1)) / r2, r6 = r * r * r, y = r6 * r6 - r6, f = (y + r6 * r6) * r * V(T(-24));
        sum = sum + y;
        unroll<3>([&](auto d) __attribute__((always_inline)) {
            own[d] = own[d] + f * e[d];
            store(q + d * n + j, load(q + d * n + j) - f * e[d]);
        });
    };
    B sums(T(0));
    T rest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        T const at[3]{p[i], p[n + i], p[2 * n + i]};
        B const all[3]{B(at[0]), B(at[1]), B(at[2])};
        T own[3]{};
        B owns[3]{B(T(0)), B(T(0)), B(T(0))};
        std::int64_t j = i + 1;
        for (; j < n && (n - j) % L != 0; ++j)
            pairs(at, rest, own, j, [](T const* a) { return *a; }, [](T* a, T v) { *a = v; });
        for (; j < n; j += L)
            pairs(all, sums, owns, j, [](T const* a) { return simd::load(a); }, [](T* a, B v) { simd::store(a, v); });
        for (int d = 0; d < 3; ++d) q[d * n + i] += own[d] + simd::reduce_add(owns[d]);
    }
    for (std::int64_t i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d) g[i * 3 + d] = q[d * n + i];
    return 4 * (rest + simd::reduce_add(sums));
}

/// ln sum e^x, and its gradient.
template <class T>
[[gnu::noinline]] T log_sum_exp(T* __restrict g, T const* __restrict x, std::int64_t n) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = 4;
    T largest = -std::numeric_limits<T>::infinity();
    B most[U], sums[U];
    unroll<U>([&](auto u) __attribute__((always_inline)) { most[u] = B(largest), sums[u] = B(T(0)); });
    std::int64_t const end = n / (U * L) * (U * L);
    for (std::int64_t i = 0; i < end; i += U * L)
        unroll<U>([&](auto u) __attribute__((always_inline)) {
            most[u] = simd::maximum(most[u], simd::load(x + i + u * L));
        });
    unroll<U>([&](auto u) { largest = std::max(largest, simd::reduce_max(most[u])); });
    for (std::int64_t i = end; i < n; ++i) largest = std::max(largest, x[i]);
    for (std::int64_t i = 0; i < end; i += U * L)
        unroll<U>([&](auto u) __attribute__((always_inline)) {
            B const e = simd::exp(simd::load(x + i + u * L) - B(largest));
            sums[u] = sums[u] + e;
            simd::store(g + i + u * L, e);
        });
    T sum = simd::reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (std::int64_t i = end; i < n; ++i) sum += g[i] = std::exp(x[i] - largest);
    B const share(1 / sum);
    for (std::int64_t i = 0; i < end; i += U * L)
        unroll<U>([&](auto u) __attribute__((always_inline)) {
            simd::store(g + i + u * L, simd::load(g + i + u * L) * share);
        });
    for (std::int64_t i = end; i < n; ++i) g[i] /= sum;
    return largest + std::log(sum);
}

}  // namespace handwritten
