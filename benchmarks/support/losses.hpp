// SPDX-License-Identifier: MIT
#pragma once
// Losses and their gradients by hand: the mean over a million elements in one pass, and softmax cross-entropy of
// class indices.

#include "loop_tools.hpp"

namespace handwritten {

// One element: its loss and the slope of it; so many batches at once are fastest.

struct huber_function {
    static constexpr int unrolled = 4;
    template <class B>
    [[gnu::always_inline]] static B apply(B x, B t, B& loss) {
        B const d = x - t, a = simd::abs(d);
        loss = loss + simd::select(simd::less_equal(a, B(1)), B(0.5) * d * d, a - B(0.5));
        return simd::minimum(simd::maximum(d, B(-1)), B(1));
    }
};
struct bce_function {
    static constexpr int unrolled = 2;
    template <class B>
    [[gnu::always_inline]] static B apply(B x, B t, B& loss) {
        B const e = simd::exp(-simd::abs(x)), r = B(1) / (B(1) + e);
        loss = loss + (simd::fnma(t, x, simd::maximum(x, B(0))) + simd::log1p_of_unit(e));
        return simd::select(simd::less(x, B(0)), e * r, r) - t;
    }
};
/// alpha 0.25, gamma 2, of probabilities.
struct focal_function {
    static constexpr int unrolled = 2;
    template <class B>
    [[gnu::always_inline]] static B apply(B p, B t, B& loss) {
        auto const yes = simd::less(B(0.5), t);
        B const q = simd::select(yes, p, B(1) - p), rest = B(1) - q, l = simd::log(q);
        loss = simd::fnma(B(0.25) * rest * rest, l, loss);
        B const slope = B(0.25) * rest * (B(2) * l - rest / q);
        return simd::select(yes, slope, -slope);
    }
};
struct kl_function {
    static constexpr int unrolled = 4;
    template <class B>
    [[gnu::always_inline]] static B apply(B x, B t, B& loss) {
        loss = loss + simd::select(simd::equal(t, B(0)), B(0), t * (simd::log(t) - x));
        return -t;
    }
};

/// The mean of F over n elements (whole tiles of them), the gradient times 1/n.
template <class F, class T>
[[gnu::noinline]] T mean_loss(T* g, T const* x, T const* t, std::int64_t n) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = F::unrolled;
    B const scale(static_cast<T>(1 / static_cast<double>(n)));
    long_sum<T> loss;
    for (std::int64_t i = 0; i + U * L <= n;) {
        B s[U];
        unroll<U>([&](auto u) __attribute__((always_inline)) { s[u] = B(T(0)); });
        for (int k = 0; k < block && i + U * L <= n; ++k, i += U * L)
            unroll<U>([&](auto u) __attribute__((always_inline)) {
                simd::store(g + i + u * L,
                            scale * F::apply(simd::load(x + i + u * L), simd::load(t + i + u * L), s[u]));
            });
        unroll<U - 1>([&](auto u) __attribute__((always_inline)) { s[0] = s[0] + s[u + 1]; });
        loss.add(s[0]);
    }
    return static_cast<T>(loss.result() / static_cast<double>(n));
}

/// One row of scores: the loss; e^(x - max) is kept in the gradient's row and scaled afterwards.
template <int M, class T>
[[gnu::always_inline]] inline T cross_entropy_of_index(T* g, T const* x, std::int64_t target, T scale) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = M >= 4 * L ? 4 : 1, tiles = M / (U * L) * (U * L), whole = M / L * L,
                  rest = M % L;
    constexpr T nothing = T(-1e30);  // e^ of it is 0
    B top[U], s[U];
    unroll<U>([&](auto u) __attribute__((always_inline)) { top[u] = B(nothing), s[u] = B(T(0)); });
    for (int c = 0; c < tiles; c += U * L)
        unroll<U>([&](auto u)
                      __attribute__((always_inline)) { top[u] = simd::maximum(top[u], simd::load(x + c + u * L)); });
    for (int c = tiles; c < whole; c += L) top[0] = simd::maximum(top[0], simd::load(x + c));
    if constexpr (rest > 0) top[0] = simd::maximum(top[0], simd::load_partial(x + whole, rest, nothing));
    unroll<U - 1>([&](auto u) __attribute__((always_inline)) { top[0] = simd::maximum(top[0], top[u + 1]); });
    T const peak = simd::reduce_max(top[0]);
    B const m(peak);
    for (int c = 0; c < tiles; c += U * L)
        unroll<U>([&](auto u) __attribute__((always_inline)) {
            B const e = simd::exp(simd::load(x + c + u * L) - m);
            simd::store(g + c + u * L, e);
            s[u] = s[u] + e;
        });
    for (int c = tiles; c < whole; c += L) {
        B const e = simd::exp(simd::load(x + c) - m);
        simd::store(g + c, e);
        s[0] = s[0] + e;
    }
    if constexpr (rest > 0) {
        B const e = simd::exp(simd::load_partial(x + whole, rest, nothing) - m);
        simd::store_partial(g + whole, e, rest);
        s[0] = s[0] + e;
    }
    unroll<U - 1>([&](auto u) __attribute__((always_inline)) { s[0] = s[0] + s[u + 1]; });
    T const sum = simd::reduce_add(s[0]);
    B const factor(scale / sum);
    for (int c = 0; c < whole; c += L) simd::store(g + c, simd::load(g + c) * factor);
    if constexpr (rest > 0) simd::store_partial(g + whole, simd::load_partial(g + whole, rest) * factor, rest);
    g[target] -= scale;
    return simd::log(sum) - (x[target] - peak);
}
template <int M, class T>
[[gnu::noinline]] T cross_entropy_of_indices(T* g, T const* x, std::int64_t const* targets, std::int64_t n) {
    T const scale = static_cast<T>(1 / static_cast<double>(n));
    double loss = 0;
    for (std::int64_t i = 0; i < n; ++i)
        loss += static_cast<double>(cross_entropy_of_index<M>(g + i * M, x + i * M, targets[i], scale));
    return static_cast<T>(loss / static_cast<double>(n));
}

}  // namespace handwritten
