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
/// k (D + 1) numbers; `counts` gets how many points each of them is the nearest of.
template <int D, class T>
[[gnu::noinline]] T nearest(T* g, T const* x, std::int64_t n, T const* c, std::int64_t k, T* work,
                            T* counts = nullptr) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = 4;
    T *const across = work, *const row = work + D * k;
    for (std::int64_t j = 0; j < k; ++j)
        for (int d = 0; d < D; ++d) across[d * k + j] = c[j * D + d];
    std::fill(g, g + k * D, T(0));
    if (counts) std::fill_n(counts, k, T(0));
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
        if (counts) counts[which] += 1;
    }
    return static_cast<T>(total);
}

/// The same, and the diagonal of the Hessian: 2 for each point that a centre is the nearest of.
template <int D, class T>
[[gnu::noinline]] T nearest_diagonal(T* diagonal, T const* x, std::int64_t n, T const* c, std::int64_t k, T* work,
                                     T* gradient) {
    T const value = nearest<D>(gradient, x, n, c, k, work, diagonal);
    for (std::int64_t j = k; j-- > 0;) std::fill_n(diagonal + j * D, D, 2 * diagonal[j]);
    return value;
}

/// Of a block of rows: all pairs with what comes after it, row by row in registers.
template <int Rows, class T>
struct particle_rows {
    using B = simd::batch<T>;
    static constexpr int L = simd::lanes<T>;
    T *p, *q;  // positions and gradients, coordinate by coordinate
    std::int64_t n;
    B sums{T(0)};
    T rest = 0;

    [[gnu::always_inline]] void one(std::int64_t i, std::int64_t j) {
        T e[3], r2 = 0;
        for (int d = 0; d < 3; ++d) e[d] = p[d * n + i] - p[d * n + j], r2 += e[d] * e[d];
        T const r = 1 / r2, r6 = r * r * r, y = r6 * r6 - r6, f = (y + r6 * r6) * r * T(-24);
        rest += y;
        for (int d = 0; d < 3; ++d) q[d * n + i] += f * e[d], q[d * n + j] -= f * e[d];
    }
    [[gnu::always_inline]] void run(std::int64_t i) {
        B at[Rows][3], own[Rows][3];
        unroll<Rows>([&](auto r) __attribute__((always_inline)) {
            unroll<3>([&](auto d) __attribute__((always_inline)) {
                at[r][d] = B(p[d * n + i + r]), own[r][d] = B(T(0));
            });
        });
        for (int a = 0; a < Rows; ++a)
            for (int b = a + 1; b < Rows; ++b) one(i + a, i + b);
        std::int64_t j = i + Rows;
        for (; j < n && (n - j) % L != 0; ++j)
            for (int a = 0; a < Rows; ++a) one(i + a, j);
        for (; j < n; j += L) {
            B c[3], s[3];
            unroll<3>([&](auto d) __attribute__((always_inline)) {
                c[d] = simd::load(p + d * n + j), s[d] = simd::load(q + d * n + j);
            });
            unroll<Rows>([&](auto r) __attribute__((always_inline)) {
                B e[3], r2(T(0));
                unroll<3>([&](auto d) __attribute__((always_inline)) {
                    e[d] = at[r][d] - c[d];
                    r2 = simd::fma(e[d], e[d], r2);
                });
                B const w = B(T(1)) / r2, r6 = w * w * w, y = simd::fms(r6, r6, r6),
                        f = simd::fma(r6, r6, y) * w * B(T(-24));
                sums = sums + y;
                unroll<3>([&](auto d) __attribute__((always_inline)) {
                    own[r][d] = simd::fma(f, e[d], own[r][d]);
                    s[d] = simd::fnma(f, e[d], s[d]);
                });
            });
            unroll<3>([&](auto d) __attribute__((always_inline)) { simd::store(q + d * n + j, s[d]); });
        }
        unroll<Rows>([&](auto r) {
            for (int d = 0; d < 3; ++d) q[d * n + i + r] += simd::reduce_add(own[r][d]);
        });
    }
};
/// The sum over i < j of 4 (r^-12 - r^-6), and its gradient: four rows at a time, so that what is read and written by
/// columns is read and written once for them. n is a multiple of four; `work` has room for 6 n numbers.
template <class T>
[[gnu::noinline]] T lennard_jones(T* g, T const* x, std::int64_t n, T* work) {
    particle_rows<4, T> rows{work, work + 3 * n, n};
    for (std::int64_t i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d) rows.p[d * n + i] = x[i * 3 + d], rows.q[d * n + i] = 0;
    for (std::int64_t i = 0; i < n; i += 4) rows.run(i);
    for (std::int64_t i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d) g[i * 3 + d] = rows.q[d * n + i];
    return 4 * (rows.rest + simd::reduce_add(rows.sums));
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
