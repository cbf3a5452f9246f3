// SPDX-License-Identifier: MIT
#pragma once
// Rows of a few numbers by hand, some at a time: lanes along the rows.

#include <algorithm>

#include "loop_tools.hpp"

namespace handwritten {

/// The mean cross-entropy of n rows of C scores, a multiple of a register of them, against classes t; its gradient.
template <int C, class T>
[[gnu::noinline]] T cross_entropy_of_rows(T* g, T const* x, int const* t, std::int64_t n) {
    constexpr int L = simd::lanes<T>;
    using B = simd::batch<T>;
    B total(T(0));
    T chosen = 0;
    T const share = T(1) / static_cast<T>(n);
    for (std::int64_t i = 0; i < n; i += L) {
        T in[C][L], out[C][L];
        for (int e = 0; e < L; ++e)
            for (int c = 0; c < C; ++c) in[c][e] = x[(i + e) * C + c];
        B most = simd::load(in[0]), s(T(0)), p[C];
        for (int c = 1; c < C; ++c) most = simd::maximum(most, simd::load(in[c]));
        for (int c = 0; c < C; ++c) s = s + (p[c] = simd::exp(simd::load(in[c]) - most));
        total = total + simd::log(s) + most;
        B const by = B(share) / s;
        for (int c = 0; c < C; ++c) simd::store(out[c], p[c] * by);
        for (int e = 0; e < L; ++e) {
            for (int c = 0; c < C; ++c) g[(i + e) * C + c] = out[c][e];
            g[(i + e) * C + t[i + e]] -= share;
            chosen += in[t[i + e]][e];
        }
    }
    return (simd::reduce_add(total) - chosen) * share;
}

/// Half the squares of what n pairs of points in D dimensions are farther apart than at rest; its gradient.
template <int D, class T>
[[gnu::noinline]] T apart_from_rest(T* g, T const* x, T const* y, T const* rest, std::int64_t n) {
    constexpr int L = simd::lanes<T>;
    using B = simd::batch<T>;
    B total(T(0));
    for (std::int64_t i = 0; i < n; i += L) {
        T in[D][L], out[D][L];
        for (int e = 0; e < L; ++e)
            for (int k = 0; k < D; ++k) in[k][e] = x[(i + e) * D + k] - y[(i + e) * D + k];
        B square(T(0));
        for (int k = 0; k < D; ++k) square = simd::fma(simd::load(in[k]), simd::load(in[k]), square);
        B const r = simd::sqrt(square), d = r - simd::load(rest + i), q = d / r;
        total = simd::fma(d * B(T(0.5)), d, total);
        for (int k = 0; k < D; ++k) simd::store(out[k], simd::load(in[k]) * q);
        for (int e = 0; e < L; ++e)
            for (int k = 0; k < D; ++k) g[(i + e) * D + k] = out[k][e];
    }
    return simd::reduce_add(total);
}

}  // namespace handwritten
