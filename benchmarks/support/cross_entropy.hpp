// SPDX-License-Identifier: MIT
#pragma once
// Softmax cross-entropy over (n, 100), the mean over rows, and its gradient by the logits, by hand.

#include "loop_tools.hpp"

namespace handwritten {

// Three passes over J rows in L1: the largest; e^(x - max), kept in the gradient's row; the gradient. The loss of a row
// is sum t (log s - z) with z = x - max, its gradient sum(t) e / s - t.
template <int J, class T>
[[gnu::always_inline]] inline void cross_entropy_rows(T* g, T const* x, T const* t, T scale, long_sum<T>& loss) {
    using B = simd::batch<T>;
    constexpr int M = 100, L = simd::lanes<T>, whole = M / L * L, rest = M % L;
    constexpr T nothing = T(-1e30);  // e^ of it is 0, and 0 times it is no NaN
    B top[J], s[J], st[J], stz[J];
    unroll<J>([&](auto j) __attribute__((always_inline)) {
        top[j] = B(nothing);
        s[j] = st[j] = stz[j] = B(T(0));
    });
    for (int c = 0; c < whole; c += L)
        unroll<J>([&](auto j)
                      __attribute__((always_inline)) { top[j] = simd::maximum(top[j], simd::load(x + j * M + c)); });
    if constexpr (rest > 0)
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            top[j] = simd::maximum(top[j], simd::load_partial(x + j * M + whole, rest, nothing));
        });
    unroll<J>([&](auto j) __attribute__((always_inline)) { top[j] = B(simd::reduce_max(top[j])); });

    auto const exponential = [&](auto j, B in, B target) __attribute__((always_inline)) {
        B const z = in - top[j], e = simd::exp(z);
        s[j] = s[j] + e;
        st[j] = st[j] + target;
        stz[j] = simd::fma(target, z, stz[j]);
        return e;
    };
    for (int c = 0; c < whole; c += L)
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            simd::store(g + j * M + c, exponential(j, simd::load(x + j * M + c), simd::load(t + j * M + c)));
        });
    if constexpr (rest > 0)
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            int const c = j * M + whole;
            simd::store_partial(
                g + c, exponential(j, simd::load_partial(x + c, rest, nothing), simd::load_partial(t + c, rest)), rest);
        });

    // The logarithms of several rows in one batch.
    constexpr int padded = (J + L - 1) / L * L;
    T sums[padded], targets[padded];
    for (int i = 0; i < padded; ++i) sums[i] = T(1), targets[i] = T(0);
    B factor[J], dots(T(0));
    unroll<J>([&](auto j) __attribute__((always_inline)) {
        sums[j] = simd::reduce_add(s[j]);
        targets[j] = simd::reduce_add(st[j]);
        dots = dots + stz[j];
        factor[j] = B(targets[j] * scale / sums[j]);
    });
    B total = -dots;
    unroll<padded / L>([&](auto k) __attribute__((always_inline)) {
        total = simd::fma(simd::log(simd::load(sums + k * L)), simd::load(targets + k * L), total);
    });
    loss.add(total);

    B const down(scale);
    for (int c = 0; c < whole; c += L)
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            T* const p = g + j * M + c;
            simd::store(p, simd::fnma(simd::load(t + j * M + c), down, simd::load(p) * factor[j]));
        });
    if constexpr (rest > 0)
        unroll<J>([&](auto j) __attribute__((always_inline)) {
            T* const p = g + j * M + whole;
            B const e = simd::load_partial(p, rest), target = simd::load_partial(t + j * M + whole, rest);
            simd::store_partial(p, simd::fnma(target, down, e * factor[j]), rest);
        });
}

template <class T, int J = sizeof(T) == 4 ? 4 : 2>
[[gnu::noinline]] T cross_entropy(T* g, T const* x, T const* t, std::int64_t n) {
    constexpr int M = 100;
    T const scale = static_cast<T>(1 / static_cast<double>(n));
    long_sum<T> loss;
    each_rows<J>(
        0, n, [&](auto rows, std::int64_t i) __attribute__((always_inline)) {
            cross_entropy_rows<decltype(rows){}>(g + i * M, x + i * M, t + i * M, scale, loss);
        });
    return static_cast<T>(loss.result() / static_cast<double>(n));
}

}  // namespace handwritten
