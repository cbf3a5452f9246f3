// SPDX-License-Identifier: MIT
#pragma once
// The Jacobian of (basis sin(points(p)))^2 by p, where points are linear in p: one product for all directions, by hand.

#include <cmath>

#include "loop_tools.hpp"

namespace handwritten {

/// basis is N x M, from is (3 M) x P; J is N x 3 x P. `work` has room for 3 M (P + 1) + 3 N numbers. N is a multiple
/// of 8; 3 P is no less than three registers, of which the last may begin before the others end.
template <int N, int M, int P, class T>
[[gnu::noinline]] void directions(T* J, T const* p, T const* basis, T const* from, T* work) {
    using B = simd::batch<T>;
    constexpr int L = simd::lanes<T>, R = 8, U = 3, width = 3 * P;
    T *const d = work, *const points = work + M * width, *const values = points + 3 * M;
    for (int r = 0; r < 3 * M; ++r) {
        T s = 0;
        for (int a = 0; a < P; ++a) s += from[r * P + a] * p[a];
        points[r] = std::sin(s);
        T const c = std::cos(s);
        for (int a = 0; a < P; ++a) d[r * P + a] = c * from[r * P + a];
    }
    for (int i = 0; i < N; ++i) {
        T s[3]{};
        for (int j = 0; j < M; ++j)
            for (int k = 0; k < 3; ++k) s[k] += basis[i * M + j] * points[j * 3 + k];
        for (int k = 0; k < 3; ++k) values[i * 3 + k] = 2 * s[k];
    }
    for (int first = 0; first < width; first += U * L)
        for (int i = 0, c = first < width - U * L ? first : width - U * L; i < N; i += R) {
            B sum[R][U];
            unroll<R>([&](auto r) __attribute__((always_inline)) {
                unroll<U>([&](auto u) __attribute__((always_inline)) { sum[r][u] = B(T(0)); });
            });
            for (int j = 0; j < M; ++j) {
                B b[U];
                unroll<U>([&](auto u) __attribute__((always_inline)) { b[u] = simd::load(d + j * width + c + u * L); });
                unroll<R>([&](auto r) __attribute__((always_inline)) {
                    B const a(basis[(i + r) * M + j]);
                    unroll<U>([&](auto u)
                                  __attribute__((always_inline)) { sum[r][u] = simd::fma(a, b[u], sum[r][u]); });
                });
            }
            unroll<R>([&](auto r) __attribute__((always_inline)) {
                unroll<U>([&](auto u) __attribute__((always_inline)) {
                    simd::store(J + (i + r) * width + c + u * L, sum[r][u]);
                });
            });
        }
    for (int i = 0; i < 3 * N; ++i)
        for (int a = 0; a < P; ++a) J[i * P + a] *= values[i];
}

}  // namespace handwritten
