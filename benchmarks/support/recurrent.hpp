// SPDX-License-Identifier: MIT
#pragma once
// Recurrent cells of one vector, h = s(x W + h U) with s(z) = z / (1 + |z|), and the gradient of |h|^2 after the last
// step, by hand.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "loop_tools.hpp"

namespace handwritten {

/// One or several layers of such cells, each reading the state of the one below; the gradient of |h|^2 of the last layer.
/// Rows are padded to whole registers; what the weights get is added up behind the loop, as products over all steps.
template <int Layers, int N, class T>
class recurrent_layers {
public:
    explicit recurrent_layers(std::int64_t steps)
        : steps_(steps), h_(static_cast<std::size_t>((steps + 1) * Layers * P), T(0)),
          d_(static_cast<std::size_t>(steps * Layers * P), T(0)), x_(static_cast<std::size_t>(steps * P), T(0)) {}

    /// `weights` and `gradient`: of each layer W, then U, row by row.
    [[gnu::noinline]] T run(T* gradient, T const* weights, T const* xs) {
        for (int m = 0; m < 2 * Layers; ++m)
            for (int k = 0; k < N; ++k)
                for (int j = 0; j < N; ++j) {
                    w_[m][k * P + j] = weights[(m * N + k) * N + j];
                    transposed_[m][j * P + k] = weights[(m * N + k) * N + j];
                }
        for (std::int64_t t = 0; t < steps_; ++t) std::copy_n(xs + t * N, N, x_.data() + t * P);
        for (std::int64_t t = 0; t < steps_; ++t)
            for (int l = 0; l < Layers; ++l) {
                B x[R], h[R];
                times(x, input(t, l), w_[2 * l]);
                times(h, state(t, l), w_[2 * l + 1]);
                unroll<R>([&](auto r) __attribute__((always_inline)) {
                    B const z = x[r] + h[r];
                    simd::store(state(t + 1, l) + r * L, z / (B(T(1)) + simd::abs(z)));
                });
            }
        T value = 0;
        T back[Layers][P]{};
        for (int j = 0; j < N; ++j) {
            T const last = state(steps_, Layers - 1)[j];
            value += last * last;
            back[Layers - 1][j] = 2 * last;
        }
        for (std::int64_t t = steps_; t-- > 0;)
            for (int l = Layers; l-- > 0;) {
                T* const d = d_.data() + (t * Layers + l) * P;
                unroll<R>([&](auto r) __attribute__((always_inline)) {
                    B const slope = B(T(1)) - simd::abs(simd::load(state(t + 1, l) + r * L));
                    simd::store(d + r * L, simd::load(back[l] + r * L) * slope * slope);
                });
                B to[R];
                times(to, d, transposed_[2 * l + 1]);
                unroll<R>([&](auto r) __attribute__((always_inline)) { simd::store(back[l] + r * L, to[r]); });
                if (l == 0) continue;
                times(to, d, transposed_[2 * l]);
                unroll<R>([&](auto r) __attribute__((always_inline)) {
                    simd::store(back[l - 1] + r * L, simd::load(back[l - 1] + r * L) + to[r]);
                });
            }
        for (int l = 0; l < Layers; ++l)
            for (int k = 0; k < N; k += 2) {
                add_rows(gradient + (2 * l * N + k) * N, l, k, [&](std::int64_t t) { return input(t, l); });
                add_rows(gradient + ((2 * l + 1) * N + k) * N, l, k, [&](std::int64_t t) { return state(t, l); });
            }
        return value;
    }

private:
    using B = simd::batch<T>;
    static constexpr int L = simd::lanes<T>, R = (N + L - 1) / L, P = R * L;
    static_assert(N % 2 == 0);
    std::int64_t steps_;
    std::vector<T> h_, d_, x_;
    T w_[2 * Layers][N * P]{}, transposed_[2 * Layers][N * P]{};

    T* state(std::int64_t t, int l) { return h_.data() + (t * Layers + l) * P; }
    T* input(std::int64_t t, int l) { return l == 0 ? x_.data() + t * P : state(t + 1, l - 1); }
    [[gnu::always_inline]] static void times(B* to, T const* x, T const* w) {
        unroll<R>([&](auto r) __attribute__((always_inline)) { to[r] = B(x[0]) * simd::load(w + r * L); });
        unroll<N - 1>([&](auto k) __attribute__((always_inline)) {
            unroll<R>([&](auto r) __attribute__((always_inline)) {
                to[r] = simd::fma(B(x[k + 1]), simd::load(w + (k + 1) * P + r * L), to[r]);
            });
        });
    }
    /// Rows k and k + 1 of what a matrix of layer l gets.
    template <class From>
    [[gnu::always_inline]] void add_rows(T* to, int l, int k, From const& from) {
        B a[R], b[R];
        unroll<R>([&](auto r) __attribute__((always_inline)) { a[r] = b[r] = B(T(0)); });
        for (std::int64_t t = 0; t < steps_; ++t) {
            T const *const x = from(t), *const d = d_.data() + (t * Layers + l) * P;
            B const p(x[k]), q(x[k + 1]);
            unroll<R>([&](auto r) __attribute__((always_inline)) {
                B const v = simd::load(d + r * L);
                a[r] = simd::fma(p, v, a[r]), b[r] = simd::fma(q, v, b[r]);
            });
        }
        T rows[2][P];
        unroll<R>([&](auto r) __attribute__((always_inline)) {
            simd::store(rows[0] + r * L, a[r]), simd::store(rows[1] + r * L, b[r]);
        });
        std::copy_n(rows[0], N, to), std::copy_n(rows[1], N, to + N);
    }
};

}  // namespace handwritten
