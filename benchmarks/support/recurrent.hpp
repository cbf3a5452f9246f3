// SPDX-License-Identifier: MIT
#pragma once
// A recurrent cell of one vector, h = s(x W + h U) with s(z) = z / (1 + |z|), and the gradient of |h|^2 after the last
// step, by hand.

#include <cmath>
#include <cstdint>
#include <vector>

namespace handwritten {

/// The value; `gradient` and `weights` hold W, then U, row by row; `work` has room for the states of all steps.
template <int N, class T>
[[gnu::noinline]] T recurrent(T* __restrict gradient, T const* __restrict weights, T const* __restrict xs,
                              std::int64_t steps, std::vector<T>& work) {
    T const *w = weights, *u = weights + N * N;
    T *dw = gradient, *du = gradient + N * N, *h = work.data();
    for (int j = 0; j < N; ++j) h[j] = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
        T z[N]{};
        T const *x = xs + t * N, *before = h + t * N;
        for (int k = 0; k < N; ++k)
            for (int j = 0; j < N; ++j) z[j] += x[k] * w[k * N + j];
        for (int k = 0; k < N; ++k)
            for (int j = 0; j < N; ++j) z[j] += before[k] * u[k * N + j];
        for (int j = 0; j < N; ++j) h[(t + 1) * N + j] = z[j] / (1 + std::abs(z[j]));
    }
    T value = 0, back[N];
    for (int j = 0; j < N; ++j) {
        T const last = h[steps * N + j];
        value += last * last;
        back[j] = 2 * last;
    }
    for (int k = 0; k < 2 * N * N; ++k) gradient[k] = 0;
    for (std::int64_t t = steps; t-- > 0;) {
        T d[N];
        T const *x = xs + t * N, *before = h + t * N, *after = before + N;
        for (int j = 0; j < N; ++j) {
            T const slope = 1 - std::abs(after[j]);
            d[j] = back[j] * slope * slope;
        }
        for (int k = 0; k < N; ++k) {
            T sum = 0;
            for (int j = 0; j < N; ++j) {
                dw[k * N + j] += x[k] * d[j];
                du[k * N + j] += before[k] * d[j];
                sum += d[j] * u[k * N + j];
            }
            back[k] = sum;
        }
    }
    return value;
}

}  // namespace handwritten
