// SPDX-License-Identifier: MIT
#pragma once
// sum(f(a b + s)) with a of (n, 1, 32), b of (8, 32) and a number s, and the gradients of all three, by hand.

#include "loop_tools.hpp"

namespace handwritten {

/// f(v) is added to a sum, f'(v) / factor returned; `rows` at a time is fastest.
struct tanh_function {
    static constexpr int factor = 1;
    template <class T>
    static constexpr int rows = sizeof(T) == 4 ? 1 : 4;
    template <class B>
    [[gnu::always_inline]] static B apply(B v, B& sum) {
        B const t = simd::tanh(v);
        sum = sum + t;
        return simd::fnma(t, t, B(1));
    }
};
struct square_function {
    static constexpr int factor = 2;
    template <class T>
    static constexpr int rows = 4;
    template <class B>
    [[gnu::always_inline]] static B apply(B v, B& sum) {
        sum = simd::fma(v, v, sum);
        return v;
    }
};

template <class F, class T>
[[gnu::noinline]] T broadcast(T* g_a, T* g_b, T* g_s, T const* a, T const* b, T s, std::int64_t n) {
    using B = simd::batch<T>;
    constexpr int J = 8, M = 32, L = simd::lanes<T>;
    static_assert(M % L == 0);
    // One row at a time: sums that nothing else points to, so that the compiler may interleave the rows of b.
    constexpr bool alone = F::template rows<T> == 1;
    T own[J * M];
    T* const sums = alone ? own : g_b;
    column_sums<T, J * M> sum_b(sums);
    long_sum<T> loss, slopes;
    B const shift(s);
    for (std::int64_t first = 0; first < n; first += rows_a_block) {
        std::int64_t const last = n - first > rows_a_block ? first + rows_a_block : n;
        B block_loss(T(0)), block_slopes(T(0));
        each_rows<F::template rows<T>>(
            first, last, [&](auto rows, std::int64_t i) __attribute__((always_inline)) {
                constexpr int R = decltype(rows){}, Q = R < 2 ? 1 : 2;
                B l[Q], gs[Q];
                unroll<Q>([&](auto k) __attribute__((always_inline)) { l[k] = gs[k] = B(T(0)); });
                for (int c = 0; c < M; c += L) {
                    B ar[R], ga[R];
                    unroll<R>([&](auto r) __attribute__((always_inline)) { ar[r] = simd::load(a + (i + r) * M + c); });
                    unroll<J>([&](auto j) __attribute__((always_inline)) {
                        B const bj = simd::load(b + j * M + c);
                        B gb = simd::load(sums + j * M + c);
                        unroll<R>([&](auto r) __attribute__((always_inline)) {
                            constexpr int k = r % Q;
                            B const slope = F::apply(simd::fma(ar[r], bj, shift), l[k]);
                            gs[k] = gs[k] + slope;
                            gb = simd::fma(slope, ar[r], gb);
                            ga[r] = j == 0 ? slope * bj : simd::fma(slope, bj, ga[r]);
                        });
                        simd::store(sums + j * M + c, gb);
                    });
                    unroll<R>([&](auto r) __attribute__((always_inline)) {
                        if constexpr (F::factor != 1) ga[r] = ga[r] * T(F::factor);
                        simd::store(g_a + (i + r) * M + c, ga[r]);
                    });
                }
                unroll<Q>([&](auto k) __attribute__((always_inline)) {
                    block_loss = block_loss + l[k];
                    block_slopes = block_slopes + gs[k];
                });
            });
        loss.add(block_loss);
        slopes.add(block_slopes);
        sum_b.end_block(last, n, T(F::factor));
    }
    if constexpr (alone)
        for (int k = 0; k < J * M; ++k) g_b[k] = own[k];
    *g_s = static_cast<T>(F::factor * slopes.result());
    return static_cast<T>(loss.result());
}

}  // namespace handwritten
