// SPDX-License-Identifier: MIT
#pragma once
// sum(f(a b + s)) with a of (n, 1, 32), b of (8, 32) and a number s, and the gradients of all three, by hand.

#include "loop_tools.hpp"

namespace handwritten {

/// A function of a batch, and its derivative divided by `factor`.
struct tanh_function {
    static constexpr int factor = 1;
    template <class B>
    [[gnu::always_inline]] static void apply(B v, B& value, B& slope) {
        value = simd::tanh(v);
        slope = simd::fnma(value, value, B(1));
    }
};
struct square_function {
    static constexpr int factor = 2;
    template <class B>
    [[gnu::always_inline]] static void apply(B v, B& value, B& slope) {
        value = v * v;
        slope = v;
    }
};

// A batch of columns of all 8 rows of b, and the sums of its gradient, stay in registers while a block of a goes by.
template <class F, class T>
[[gnu::noinline]] T broadcast(T* g_a, T* g_b, T* g_s, T const* a, T const* b, T s, std::int64_t n) {
    using B = simd::batch<T>;
    constexpr int J = 8, M = 32, L = simd::lanes<T>;
    constexpr T factor = T(F::factor);
    double total_b[J * M] = {};
    long_sum<T> loss, slopes;
    B const shift(s);
    for (std::int64_t first = 0; first < n; first += block) {
        std::int64_t const last = n - first > block ? first + block : n;
        for (int c = 0; c < M; c += L) {
            B bj[J], gb[J], l[2] = {B(T(0)), B(T(0))}, gs[2] = {B(T(0)), B(T(0))};
            unroll<J>([&](auto j) __attribute__((always_inline)) {
                bj[j] = simd::load(b + j * M + c);
                gb[j] = B(T(0));
            });
            for (std::int64_t i = first; i < last; ++i) {
                B const ai = simd::load(a + i * M + c);
                B ga[2];
                unroll<J>([&](auto j) __attribute__((always_inline)) {
                    B value, slope;
                    F::apply(simd::fma(ai, bj[j], shift), value, slope);
                    l[j % 2] = l[j % 2] + value;
                    gs[j % 2] = gs[j % 2] + slope;
                    gb[j] = simd::fma(slope, ai, gb[j]);
                    ga[j % 2] = j < 2 ? slope * bj[j] : simd::fma(slope, bj[j], ga[j % 2]);
                });
                simd::store(g_a + i * M + c, (ga[0] + ga[1]) * factor);
            }
            unroll<J>([&](auto j) __attribute__((always_inline)) { add_lanes<T>(total_b + j * M + c, gb[j]); });
            loss.add(l[0] + l[1]);
            slopes.add(gs[0] + gs[1]);
        }
    }
    for (int k = 0; k < J * M; ++k) g_b[k] = static_cast<T>(F::factor * total_b[k]);
    *g_s = static_cast<T>(F::factor * slopes.result());
    return static_cast<T>(loss.result());
}

}  // namespace handwritten
