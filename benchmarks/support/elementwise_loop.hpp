// SPDX-License-Identifier: MIT
#pragma once
// Loops over arrays by hand: element by element through the C library, and batch by batch through xsimd's own
// functions. One generic function serves both: `using std::exp; return exp(x);` is libm for a number and xsimd for a
// batch.

#include <cmath>
#include <cstddef>
#include <type_traits>

#include <xsimd/xsimd.hpp>

#include "loop_tools.hpp"

namespace handwritten {

/// The number v as what x is: a number or a batch.
template <class X>
X k(X, double v) {
    if constexpr (simd::is_batch<X>) return X(static_cast<typename X::value_type>(v));
    else return static_cast<X>(v);
}
/// m ? a : b
template <class X>
X pick(bool m, X a, X b) {
    return m ? a : b;
}
template <class T>
xsimd::batch<T> pick(xsimd::batch_bool<T> m, xsimd::batch<T> a, xsimd::batch<T> b) {
    return xsimd::select(m, a, b);
}
template <class X>
X logistic(X x) {
    using std::exp;
    return k(x, 1) / (k(x, 1) + exp(-x));
}
template <class X>
X magnitude(X x) {
    return pick(x < k(x, 0), -x, x);
}
template <class X>
X log_of_sum(X a, X b) {
    using std::exp, std::log1p;
    return pick(a > b, a, b) + log1p(exp(-magnitude(a - b)));
}

/// out[i] = f(in[i]...)
template <class T, class F, class... In>
[[gnu::noinline]] void each_number(T* out, std::size_t n, F f, In const*... in) {
    for (std::size_t i = 0; i < n; ++i) out[i] = f(in[i]...);
}
template <class T, class F, class... In>
[[gnu::noinline]] void each_batch(T* out, std::size_t n, F f, In const*... in) {
    constexpr std::size_t L = static_cast<std::size_t>(simd::lanes<T>);
    for (std::size_t i = 0; i < n; i += 4 * L)  // n is a multiple of that
        unroll<4>([&](auto u) __attribute__((always_inline)) {
            std::size_t const k = i + static_cast<std::size_t>(int{u}) * L;
            simd::store(out + k, f(xsimd::batch<In>(simd::load(in + k))...));
        });
}
/// f gives two results.
template <class T, class F, class... In>
[[gnu::noinline]] void each_number(T* out, T* second, std::size_t n, F f, In const*... in) {
    for (std::size_t i = 0; i < n; ++i) {
        auto const r = f(in[i]...);
        out[i] = r.first;
        second[i] = r.second;
    }
}
template <class T, class F, class... In>
[[gnu::noinline]] void each_batch(T* out, T* second, std::size_t n, F f, In const*... in) {
    constexpr std::size_t L = static_cast<std::size_t>(simd::lanes<T>);
    for (std::size_t k = 0; k < n; k += L) {
        auto const r = f(xsimd::batch<In>(simd::load(in + k))...);
        simd::store(out + k, r.first);
        simd::store(second + k, r.second);
    }
}

}  // namespace handwritten
