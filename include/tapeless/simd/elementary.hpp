// SPDX-License-Identifier: MIT
#pragma once
// Elementary operations that mean the same on every architecture: select, fma, maximum, rounding, reductions.
// Each takes batches, plain numbers, or (with several operands) a mixture of both.

#include <tapeless/simd/load_store.hpp>

namespace tapeless::simd {

// Comparisons by name. A NaN equals nothing: not_equal is true for it (xsimd 8.1's != is not, on AVX2).
template <class T>
[[gnu::always_inline]] inline mask<T> equal(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(detail::raw(a) == detail::raw(b)));
}
template <class T>
[[gnu::always_inline]] inline mask<T> not_equal(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(detail::raw(a) != detail::raw(b)));
}
template <class T>
[[gnu::always_inline]] inline mask<T> less(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(detail::raw(a) < detail::raw(b)));
}
template <class T>
[[gnu::always_inline]] inline mask<T> less_equal(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(detail::raw(a) <= detail::raw(b)));
}
template <number T>
constexpr bool equal(T a, T b) {
    return a == b;
}
template <number T>
constexpr bool not_equal(T a, T b) {
    return a != b;
}
template <number T>
constexpr bool less(T a, T b) {
    return a < b;
}
template <number T>
constexpr bool less_equal(T a, T b) {
    return a <= b;
}

template <class T>
[[gnu::always_inline]] inline batch<T> select(xsimd::batch_bool<T> m, xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap<T>(detail::raw(m) ? detail::raw(a) : detail::raw(b));
}
template <number T>
constexpr T select(bool m, T a, T b) {
    return m ? a : b;
}

// a*b + c, a*b - c, c - a*b, rounded once where the target has the instruction.
template <class T>
[[gnu::always_inline]] inline batch<T> fma(xsimd::batch<T> a, xsimd::batch<T> b, xsimd::batch<T> c) {
    return detail::wrap<T>(detail::madd<T>(detail::raw(a), detail::raw(b), detail::raw(c)));
}
template <class T>
[[gnu::always_inline]] inline batch<T> fms(xsimd::batch<T> a, xsimd::batch<T> b, xsimd::batch<T> c) {
    return detail::wrap<T>(detail::madd<T>(detail::raw(a), detail::raw(b), -detail::raw(c)));
}
template <class T>
[[gnu::always_inline]] inline batch<T> fnma(xsimd::batch<T> a, xsimd::batch<T> b, xsimd::batch<T> c) {
    return detail::wrap<T>(detail::nmadd<T>(detail::raw(a), detail::raw(b), detail::raw(c)));
}

// A NaN in either operand propagates.
template <class T>
[[gnu::always_inline]] inline batch<T> maximum(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap<T>(detail::larger<T>(detail::raw(a), detail::raw(b)));
}
template <class T>
[[gnu::always_inline]] inline batch<T> minimum(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap<T>(detail::smaller<T>(detail::raw(a), detail::raw(b)));
}
template <number T>
constexpr T maximum(T a, T b) {
    return a > b || a != a ? a : b;
}
template <number T>
constexpr T minimum(T a, T b) {
    return a < b || a != a ? a : b;
}

template <class T>
[[gnu::always_inline]] inline batch<T> abs(xsimd::batch<T> x) {
    auto const v = detail::raw(x);
    if constexpr (real<T>)
        return detail::wrap<T>(std::bit_cast<detail::vec<T>>(detail::ibits<T>(v) & ~detail::sign_bit<T>()));
    else return detail::wrap<T>(v < T(0) ? -v : v);
}
template <number T>
constexpr T abs(T x) {
    return x < T(0) ? static_cast<T>(-x) : static_cast<T>(x + T(0));
}

// -1, 0 or 1; a zero keeps its sign, a NaN stays.
template <class T>
[[gnu::always_inline]] inline batch<T> sign(xsimd::batch<T> x) {
    auto const v = detail::raw(x);
    auto const one = detail::splat<T>(T(1));
    return detail::wrap<T>(v > T(0) ? one : (v < T(0) ? -one : v));
}
template <number T>
constexpr T sign(T x) {
    return x > T(0) ? T(1) : (x < T(0) ? static_cast<T>(-1) : x);
}

// The magnitude of the first with the sign of the second.
template <real T>
[[gnu::always_inline]] inline batch<T> copysign(xsimd::batch<T> magnitude, xsimd::batch<T> sign) {
    auto const bit = detail::sign_bit<T>();
    return detail::wrap<T>(std::bit_cast<detail::vec<T>>((detail::ibits<T>(detail::raw(magnitude)) & ~bit) |
                                                         (detail::ibits<T>(detail::raw(sign)) & bit)));
}

template <real T>
[[gnu::always_inline]] inline mask<T> isnan(xsimd::batch<T> x) {
    return not_equal(x, x);
}
template <real T>
constexpr bool isnan(T x) {
    return x != x;
}

// Correctly rounded, infinity included.
template <real T>
[[gnu::always_inline]] inline batch<T> sqrt(xsimd::batch<T> x) {
    return detail::wrap<T>(detail::root<T>(detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline batch<T> round_even(xsimd::batch<T> x) {
    return detail::wrap<T>(detail::rounded<detail::direction::even, T>(detail::raw(x)));
}
template <real T>
[[gnu::always_inline]] inline batch<T> round(xsimd::batch<T> x) {
    return round_even(x);
}
template <real T>
[[gnu::always_inline]] inline batch<T> floor(xsimd::batch<T> x) {
    return detail::wrap<T>(detail::rounded<detail::direction::down, T>(detail::raw(x)));
}
template <real T>
[[gnu::always_inline]] inline batch<T> ceil(xsimd::batch<T> x) {
    return detail::wrap<T>(detail::rounded<detail::direction::up, T>(detail::raw(x)));
}
template <real T>
[[gnu::always_inline]] inline batch<T> trunc(xsimd::batch<T> x) {
    return detail::wrap<T>(detail::rounded<detail::direction::zero, T>(detail::raw(x)));
}

// Numbers take the way of the batch, so that both agree to the last bit.
template <real T>
[[gnu::always_inline]] inline T copysign(T magnitude, T sign) {
    return detail::first(copysign(detail::to_batch<T>(magnitude), detail::to_batch<T>(sign)));
}
template <real T>
[[gnu::always_inline]] inline T fma(T a, T b, T c) {
    return detail::first(fma(detail::to_batch<T>(a), detail::to_batch<T>(b), detail::to_batch<T>(c)));
}
template <real T>
[[gnu::always_inline]] inline T fms(T a, T b, T c) {
    return fma(a, b, -c);
}
template <real T>
[[gnu::always_inline]] inline T fnma(T a, T b, T c) {
    return fma(-a, b, c);
}
template <real T>
[[gnu::always_inline]] inline T sqrt(T x) {
    return detail::first(sqrt(detail::to_batch<T>(x)));
}
template <real T>
[[gnu::always_inline]] inline T round_even(T x) {
    return detail::first(round_even(detail::to_batch<T>(x)));
}
template <real T>
[[gnu::always_inline]] inline T round(T x) {
    return round_even(x);
}
template <real T>
[[gnu::always_inline]] inline T floor(T x) {
    return detail::first(floor(detail::to_batch<T>(x)));
}
template <real T>
[[gnu::always_inline]] inline T ceil(T x) {
    return detail::first(ceil(detail::to_batch<T>(x)));
}
template <real T>
[[gnu::always_inline]] inline T trunc(T x) {
    return detail::first(trunc(detail::to_batch<T>(x)));
}

// A mixture of batches and numbers: the numbers are spread over a batch first.
template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto maximum(A a, B b) {
    using T = typename detail::batch_among<A, B>::type;
    return maximum(detail::to_batch<T>(a), detail::to_batch<T>(b));
}
template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto minimum(A a, B b) {
    using T = typename detail::batch_among<A, B>::type;
    return minimum(detail::to_batch<T>(a), detail::to_batch<T>(b));
}
template <class T, class A, class B>
    requires(number<A> || number<B>)
[[gnu::always_inline]] inline batch<T> select(xsimd::batch_bool<T> m, A a, B b) {
    return select(m, detail::to_batch<T>(a), detail::to_batch<T>(b));
}
template <class A, class B, class C>
    requires detail::mixed<A, B, C>
[[gnu::always_inline]] inline auto fma(A a, B b, C c) {
    using T = typename detail::batch_among<A, B, C>::type;
    return fma(detail::to_batch<T>(a), detail::to_batch<T>(b), detail::to_batch<T>(c));
}

// Across the lanes of one batch.
template <class T>
[[gnu::always_inline]] inline T reduce_add(xsimd::batch<T> x) {
    return detail::across<T>(detail::raw(x), [](auto a, auto b) { return a + b; });
}
template <class T>
[[gnu::always_inline]] inline T reduce_mul(xsimd::batch<T> x) {
    return detail::across<T>(detail::raw(x), [](auto a, auto b) { return a * b; });
}
// A NaN in any lane propagates.
template <class T>
[[gnu::always_inline]] inline T reduce_max(xsimd::batch<T> x) {
    return detail::across<T>(detail::raw(x), [](auto a, auto b) { return detail::larger<T>(a, b); });
}
template <class T>
[[gnu::always_inline]] inline T reduce_min(xsimd::batch<T> x) {
    return detail::across<T>(detail::raw(x), [](auto a, auto b) { return detail::smaller<T>(a, b); });
}

}  // namespace tapeless::simd
