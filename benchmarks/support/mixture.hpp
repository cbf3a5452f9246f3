// SPDX-License-Identifier: MIT
#pragma once
// The likelihood of a mixture of Gaussians with diagonal covariances, and its gradients, by hand.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "loop_tools.hpp"

namespace handwritten {

/// - mean over i of ln sum over k of softmax(a)[k] exp(-|(x[i] - mu[k]) / sigma[k]|^2 / 2) / |sigma[k]|, where ls are
/// logarithms of sigma, and its gradients by mu, ls and a. K is a multiple of a register.
template <int K, int D, class T>
[[gnu::noinline]] T mixture(T* by_mu, T* by_ls, T* by_a, T const* mu, T const* ls, T const* a, T const* x,
                            std::int64_t n) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>;
    static thread_local std::vector<T> work(4 * D * K + 3 * K);
    T *const m = work.data(), *const inverse = m + D * K, *const gm = inverse + D * K, *const gl = gm + D * K,
             *const constant = gl + D * K, *const row = constant + K, *const share = row + K;
    T const most = *std::max_element(a, a + K);
    T total = 0;
    for (int k = 0; k < K; ++k) total += std::exp(a[k] - most);
    T const all = most + std::log(total);
    for (int k = 0; k < K; ++k) {
        constant[k] = a[k] - all;
        share[k] = 0;
        for (int d = 0; d < D; ++d) {
            constant[k] -= ls[k * D + d];
            inverse[d * K + k] = std::exp(-ls[k * D + d]);
            m[d * K + k] = mu[k * D + d];
            gm[d * K + k] = gl[d * K + k] = 0;
        }
    }
    double value = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        T const* const at = x + i * D;
        B best(-std::numeric_limits<T>::infinity());
        for (int k = 0; k < K; k += L) {
            B q(T(0));
            unroll<D>([&](auto d) __attribute__((always_inline)) {
                B const e = (B(at[d]) - simd::load(m + d * K + k)) * simd::load(inverse + d * K + k);
                q = simd::fma(e, e, q);
            });
            q = simd::load(constant + k) - B(T(0.5)) * q;
            simd::store(row + k, q);
            best = simd::maximum(best, q);
        }
        T const largest = simd::reduce_max(best);
        B sum(T(0));
        for (int k = 0; k < K; k += L) {
            B const e = simd::exp(simd::load(row + k) - B(largest));
            simd::store(row + k, e);
            sum = sum + e;
        }
        T const s = simd::reduce_add(sum), each = 1 / s;
        value += static_cast<double>(largest + std::log(s));
        for (int k = 0; k < K; k += L) {
            B const p = simd::load(row + k) * B(each);
            simd::store(share + k, simd::load(share + k) + p);
            unroll<D>([&](auto d) __attribute__((always_inline)) {
                B const scale = simd::load(inverse + d * K + k), e = (B(at[d]) - simd::load(m + d * K + k)) * scale,
                        pe = p * e;
                simd::store(gm + d * K + k, simd::fma(pe, scale, simd::load(gm + d * K + k)));
                simd::store(gl + d * K + k, simd::fma(pe, e, simd::load(gl + d * K + k)));
            });
        }
    }
    T const each = T(1) / static_cast<T>(n);
    for (int k = 0; k < K; ++k) {
        by_a[k] = std::exp(a[k] - all) - each * share[k];
        for (int d = 0; d < D; ++d) {
            by_mu[k * D + d] = -each * gm[d * K + k];
            by_ls[k * D + d] = each * (share[k] - gl[d * K + k]);
        }
    }
    return static_cast<T>(-value / static_cast<double>(n));
}

}  // namespace handwritten
