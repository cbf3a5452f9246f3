// SPDX-License-Identifier: MIT
#pragma once
// sum(y r) with y = layer_norm(x) gain + bias over (n, 512), and its gradients by x, gain and bias, by hand.

#include "loop_tools.hpp"

namespace handwritten {

inline constexpr int layer_width = 512;

// Three passes over J rows in L1. With c = x - mean, i = 1 / sqrt(var + eps) and g = r gain:
//   dx = i (g - mean g - c i^2 mean(g c)),  d gain = sum r c i,  d bias = sum r,  loss = sum(i g c + r bias).
// The sums over columns (float: of at most `block` rows) are added to in memory, once for J rows.
template <int J, class T>
[[gnu::always_inline]] inline void layer_norm_rows(T* g_x, T* g_gain, T* g_bias, T const* x, T const* gain, T const* bias,
                                                   T const* r, long_sum<T>& loss) {
    using B = simd::batch<T>;
    constexpr int M = layer_width, L = simd::lanes<T>, U = J < 4 ? 4 / J : 1;
    static_assert(M % (U * L) == 0);
    constexpr T width = T(M);
    B mean[J];
    {
        B s[J][U];
        unroll<J * U>([&](auto k) __attribute__((always_inline)) { s[k / U][k % U] = B(T(0)); });
        for (int c = 0; c < M; c += U * L)
            unroll<J * U>([&](auto k) __attribute__((always_inline)) {
                s[k / U][k % U] = s[k / U][k % U] + simd::load(x + k / U * M + c + k % U * L);
            });
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            unroll<U - 1>([&](auto u) __attribute__((always_inline)) { s[j][0] = s[j][0] + s[j][u + 1]; });
            mean[j] = B(simd::reduce_add(s[j][0]) / width);
        });
    }

    B cc[J], sg[J], gc[J], rb(T(0));
    unroll<J>([&](auto j) __attribute__((always_inline)) { cc[j] = sg[j] = gc[j] = B(T(0)); });
    for (int c = 0; c < M; c += L) {
        B const a = simd::load(gain + c), b = simd::load(bias + c);
        B rows(T(0));
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            B const d = simd::load(x + j * M + c) - mean[j], up = simd::load(r + j * M + c), g = up * a;
            cc[j] = simd::fma(d, d, cc[j]);
            sg[j] = sg[j] + g;
            gc[j] = simd::fma(g, d, gc[j]);
            rows = j == 0 ? up : rows + up;
        });
        rb = simd::fma(rows, b, rb);
        simd::store(g_bias + c, simd::load(g_bias + c) + rows);
    }
    loss.add(rb);

    B inv[J], shift[J], slope[J];
    B dots(T(0));
    unroll<J>([&](auto j) __attribute__((always_inline)) {
        B const i = B(T(1)) / simd::sqrt(B(simd::reduce_add(cc[j]) / width + T(1e-5)));
        dots = simd::fma(gc[j], i, dots);
        inv[j] = i;
        shift[j] = i * B(simd::reduce_add(sg[j]) / width);
        slope[j] = i * i * i * B(simd::reduce_add(gc[j]) / width);
    });
    loss.add(dots);

    for (int c = 0; c < M; c += L) {
        B const a = simd::load(gain + c);
        B rows = simd::load(g_gain + c);
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            B const d = simd::load(x + j * M + c) - mean[j], up = simd::load(r + j * M + c) * inv[j];
            rows = simd::fma(up, d, rows);
            simd::store(g_x + j * M + c, simd::fnma(d, slope[j], simd::fms(up, a, shift[j])));
        });
        simd::store(g_gain + c, rows);
    }
}

template <class T, int J = 4>
[[gnu::noinline]] T layer_norm(T* g_x, T* g_gain, T* g_bias, T const* x, T const* gain, T const* bias, T const* r, std::int64_t n) {
    constexpr int M = layer_width;
    double total_gain[M] = {}, total_bias[M] = {};
    long_sum<T> loss;
    for (std::int64_t i = 0; i < n;) {
        std::int64_t const last = n - i > block ? i + block : n;
        for (int c = 0; c < M; ++c) g_gain[c] = g_bias[c] = T(0);
        for (; i + J <= last; i += J)
            layer_norm_rows<J>(g_x + i * M, g_gain, g_bias, x + i * M, gain, bias, r + i * M, loss);
        for (; i < last; ++i)
            layer_norm_rows<1>(g_x + i * M, g_gain, g_bias, x + i * M, gain, bias, r + i * M, loss);
        if (n <= block) return static_cast<T>(loss.result());
        for (int c = 0; c < M; ++c) {
            total_gain[c] += static_cast<double>(g_gain[c]);
            total_bias[c] += static_cast<double>(g_bias[c]);
        }
    }
    for (int c = 0; c < M; ++c) {
        g_gain[c] = static_cast<T>(total_gain[c]);
        g_bias[c] = static_cast<T>(total_bias[c]);
    }
    return static_cast<T>(loss.result());
}

}  // namespace handwritten
