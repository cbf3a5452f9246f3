// SPDX-License-Identifier: MIT
#pragma once
// sum((tanh(x w + b) - y)^2) over (n, 64) and its gradients by w and b, by hand.

#include "loop_tools.hpp"

namespace handwritten {

// J rows at a time share what is loaded and stored for a column. (Strips of columns whose sums stay in registers, 1, 2
// or 4 batches wide, were slower.)
template <class T, int J = sizeof(T) == 4 ? 4 : 8>
[[gnu::noinline]] T dense_tanh(T* g_w, T* g_b, T const* w, T const* b, T const* x, T const* y, std::int64_t n) {
    using B = simd::batch<T>;
    constexpr int M = 64, L = simd::lanes<T>;
    static_assert(M % L == 0);
    column_sums<T, M> sum_w(g_w), sum_b(g_b);
    long_sum<T> loss;
    for (std::int64_t first = 0; first < n; first += rows_a_block) {
        std::int64_t const last = n - first > rows_a_block ? first + rows_a_block : n;
        B block_loss(T(0));
        each_rows<J>(
            first, last, [&](auto rows, std::int64_t i) __attribute__((always_inline)) {
                constexpr int R = decltype(rows){};
                B rows_loss(T(0));
                T const *px = x + i * M, *py = y + i * M;
                for (int c = 0; c < M; c += L) {
                    B const wc = simd::load(w + c), bc = simd::load(b + c);
                    B gw = simd::load(sum_w.block_sum + c), gb = simd::load(sum_b.block_sum + c);
                    unroll<R>([&](auto j) __attribute__((always_inline)) {
                        B const in = simd::load(px + j * M + c);
                        B const h = simd::tanh(simd::fma(in, wc, bc));
                        B const d = h - simd::load(py + j * M + c);
                        B const g = simd::fnma(d * h, h, d);  // d (1 - h^2); the factor 2 comes at the end
                        rows_loss = simd::fma(d, d, rows_loss);
                        gb = gb + g;
                        gw = simd::fma(g, in, gw);
                    });
                    simd::store(sum_w.block_sum + c, gw);
                    simd::store(sum_b.block_sum + c, gb);
                }
                block_loss = block_loss + rows_loss;
            });
        loss.add(block_loss);
        sum_w.end_block(last, n, T(2));
        sum_b.end_block(last, n, T(2));
    }
    return static_cast<T>(loss.result());
}

}  // namespace handwritten
