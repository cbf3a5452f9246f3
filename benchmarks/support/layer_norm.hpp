// SPDX-License-Identifier: MIT
#pragma once
// sum(y r) with y = layer_norm(x) gain + bias over (n, 512), and its gradients by x, gain and bias, by hand.

#include "loop_tools.hpp"

namespace handwritten {

inline constexpr int layer_width = 512;

// Three passes over J rows in L1. With c = x - mean, i = 1 / sqrt(var + eps) and g = r gain:
//   dx = i (g - mean g - c i^2 mean(g c)),  d gain = sum r c i,  d bias = sum r,  loss = sum(i g c + r bias).
template <int J, bool Prefetch, class T>
[[gnu::always_inline]] inline void layer_norm_rows(T* g_x, T* sum_gain, T* sum_bias, T const* x, T const* gain,
                                                   T const* bias, T const* r, long_sum<T>& loss) {
    using B = simd::batch<T>;
    constexpr int M = layer_width, L = simd::lanes<T>, V = 4;
    static_assert(M % (V * L) == 0);
    constexpr T width = T(M);
    B mean[J];
    unroll<J>([&](auto j) __attribute__((always_inline)) {
        B s[V];
        unroll<V>([&](auto v) __attribute__((always_inline)) { s[v] = B(T(0)); });
        for (int c = 0; c < M; c += V * L) {
            if constexpr (Prefetch) __builtin_prefetch(r + j * M + c);
            unroll<V>([&](auto v) __attribute__((always_inline)) { s[v] = s[v] + simd::load(x + j * M + c + v * L); });
        }
        mean[j] = B(simd::reduce_add((s[0] + s[1]) + (s[2] + s[3])) / width);
    });

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
        simd::store(sum_bias + c, simd::load(sum_bias + c) + rows);
    }

    B inv[J], shift[J], slope[J];
    B dots = rb;
    unroll<J>([&](auto j) __attribute__((always_inline)) {
        inv[j] = B(T(1)) / simd::sqrt(B(simd::reduce_add(cc[j]) / width + T(1e-5)));
        dots = simd::fma(gc[j], inv[j], dots);
        shift[j] = inv[j] * B(simd::reduce_add(sg[j]) / width);
        slope[j] = inv[j] * inv[j] * inv[j] * B(simd::reduce_add(gc[j]) / width);
    });
    loss.add(dots);

    // Whole cache lines of a row one after the other: single batches of J rows in turn are slower to write.
    constexpr int W = J > 1 ? V : 1;
    for (int c = 0; c < M; c += W * L) {
        B rows[W];
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            if constexpr (Prefetch)
                if (c % (V * L) == 0) __builtin_prefetch(x + (j + J) * M + c);
            unroll<W>([&](auto v) __attribute__((always_inline)) {
                int const k = c + v * L;
                B const d = simd::load(x + j * M + k) - mean[j], up = simd::load(r + j * M + k) * inv[j];
                rows[v] = j == 0 ? up * d : simd::fma(up, d, rows[v]);
                simd::store(g_x + j * M + k, simd::fnma(d, slope[j], simd::fms(up, simd::load(gain + k), shift[j])));
            });
        });
        unroll<W>([&](auto v) __attribute__((always_inline)) {
            simd::store(sum_gain + c + v * L, simd::load(sum_gain + c + v * L) + rows[v]);
        });
    }
}

template <int J, bool Prefetch, class T>
[[gnu::noinline]] T layer_norm_by(T* g_x, T* g_gain, T* g_bias, T const* x, T const* gain, T const* bias, T const* r,
                                  std::int64_t n) {
    constexpr int M = layer_width;
    column_sums<T, M> sum_gain(g_gain), sum_bias(g_bias);
    long_sum<T> loss;
    for (std::int64_t first = 0; first < n; first += rows_a_block) {
        std::int64_t const last = n - first > rows_a_block ? first + rows_a_block : n;
        each_rows<J>(
            first, last, [&](auto rows, std::int64_t i) __attribute__((always_inline)) {
                layer_norm_rows<decltype(rows){}, Prefetch>(g_x + i * M, sum_gain.block_sum, sum_bias.block_sum,
                                                            x + i * M, gain, bias, r + i * M, loss);
            });
        sum_gain.end_block(last, n, T(1));
        sum_bias.end_block(last, n, T(1));
    }
    return static_cast<T>(loss.result());
}

// Four rows at a time save loads and stores of the columns; where x, r and the gradient come from memory, one row at a
// time is faster, since then only three streams are under way.
template <class T>
T layer_norm(T* g_x, T* g_gain, T* g_bias, T const* x, T const* gain, T const* bias, T const* r, std::int64_t n) {
    bool const in_cache = n * layer_width * static_cast<std::int64_t>(3 * sizeof(T)) < (4 << 20);
    if (in_cache) return layer_norm_by<4, false>(g_x, g_gain, g_bias, x, gain, bias, r, n);
    return layer_norm_by<1, true>(g_x, g_gain, g_bias, x, gain, bias, r, n);
}

}  // namespace handwritten
