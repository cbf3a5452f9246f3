// SPDX-License-Identifier: MIT
#pragma once
// Steps of Runge and Kutta for y' = y (1 - y^2), element by element, by hand.

#include "loop_tools.hpp"

namespace handwritten {

/// What a step is at x: the arguments of the four slopes, and y after it.
template <class B>
struct runge_kutta_step {
    B x[4], y;
    [[gnu::always_inline]] runge_kutta_step(B from, double step) {
        using T = typename B::value_type;
        B const h(static_cast<T>(step)), half(static_cast<T>(step / 2)), sixth(static_cast<T>(step / 6));
        auto slope = [](B v) __attribute__((always_inline)) { return v - v * v * v; };
        x[0] = from;
        B const k1 = slope(x[0]);
        x[1] = simd::fma(half, k1, from);
        B const k2 = slope(x[1]);
        x[2] = simd::fma(half, k2, from);
        B const k3 = slope(x[2]);
        x[3] = simd::fma(h, k3, from);
        y = simd::fma(sixth, k1 + slope(x[3]) + B(T(2)) * (k2 + k3), from);
    }
    /// The cotangent of `from`, given that of y.
    [[gnu::always_inline]] B pull(B q, double step) const {
        using T = typename B::value_type;
        B const h(static_cast<T>(step)), half(static_cast<T>(step / 2)), sixth = B(static_cast<T>(step / 6)) * q;
        auto d = [](B v) __attribute__((always_inline)) { return B(T(1)) - B(T(3)) * v * v; };
        B const g4 = sixth * d(x[3]), g3 = simd::fma(h, g4, sixth + sixth) * d(x[2]),
                g2 = simd::fma(half, g3, sixth + sixth) * d(x[1]), g1 = simd::fma(half, g2, sixth) * d(x[0]);
        return q + ((g1 + g2) + (g3 + g4));
    }
};

/// n is a multiple of four registers.
template <int Steps, class T>
[[gnu::noinline]] void runge_kutta(T* out, T const* from, std::int64_t n, double h) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = 4;
    for (std::int64_t i = 0; i + U * L <= n; i += U * L) {
        B y[U];
        unroll<U>([&](auto u) __attribute__((always_inline)) { y[u] = simd::load(from + i + u * L); });
        for (int s = 0; s < Steps; ++s)
            unroll<U>([&](auto u) __attribute__((always_inline)) { y[u] = runge_kutta_step<B>(y[u], h).y; });
        unroll<U>([&](auto u) __attribute__((always_inline)) { simd::store(out + i + u * L, y[u]); });
    }
}
/// The sum of the squares after the steps, and its gradient: the slopes are computed again.
template <int Steps, class T>
[[gnu::noinline]] T runge_kutta_gradient(T* g, T const* from, std::int64_t n, double h) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, U = 4;
    long_sum<T> total;
    for (std::int64_t i = 0; i + U * L <= n; i += U * L) {
        B y[Steps + 1][U], q[U], sum(T(0));
        unroll<U>([&](auto u) __attribute__((always_inline)) { y[0][u] = simd::load(from + i + u * L); });
        for (int s = 0; s < Steps; ++s)
            unroll<U>([&](auto u) __attribute__((always_inline)) { y[s + 1][u] = runge_kutta_step<B>(y[s][u], h).y; });
        unroll<U>([&](auto u) __attribute__((always_inline)) {
            sum = simd::fma(y[Steps][u], y[Steps][u], sum);
            q[u] = y[Steps][u] + y[Steps][u];
        });
        total.add(sum);
        for (int s = Steps - 1; s >= 0; --s)
            unroll<U>([&](auto u) __attribute__((always_inline)) {
                q[u] = runge_kutta_step<B>(y[s][u], h).pull(q[u], h);
            });
        unroll<U>([&](auto u) __attribute__((always_inline)) { simd::store(g + i + u * L, q[u]); });
    }
    return static_cast<T>(total.result());
}

}  // namespace handwritten
