// SPDX-License-Identifier: MIT
#pragma once
// Elementary operations that mean the same on every architecture: select, fma, maximum, rounding, reductions.
// Each takes batches, plain numbers, or (with several operands) a mixture of both.

#include <tapeless/simd/load_store.hpp>

namespace tapeless::simd {

// Comparisons by name. A NaN equals nothing: not_equal is true for it (xsimd 8.1's != is not, on AVX2).
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline mask_of<B> equal(B a, B b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return mask<T>::of(detail::equal_bits(detail::raw(a), detail::raw(b)));
#endif
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(detail::raw(a) == detail::raw(b)));
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline mask_of<B> not_equal(B a, B b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return detail::of_bits<T>(~detail::equal_bits(detail::raw(a), detail::raw(b)));
#endif
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(detail::raw(a) != detail::raw(b)));
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline mask_of<B> less(B a, B b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return mask<T>::of(detail::less_bits(detail::raw(a), detail::raw(b)));
#endif
    return detail::wrap_mask<T>(std::bit_cast<detail::ivec<T>>(detail::raw(a) < detail::raw(b)));
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline mask_of<B> less_equal(B a, B b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return mask<T>::of(detail::less_equal_bits(detail::raw(a), detail::raw(b)));
#endif
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

template <any_mask M, any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B select(M m, B a, B b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T> && real<T>)
        return detail::wrap<T>(detail::blended(m.data, detail::raw(a), detail::raw(b)));
#endif
    return detail::wrap<T>(detail::raw(m) ? detail::raw(a) : detail::raw(b));
}
template <number T>
constexpr T select(bool m, T a, T b) {
    return m ? a : b;
}

// a*b + c, a*b - c, c - a*b, rounded once where the target has the instruction.
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B fma(B a, B b, B c) {
    return detail::wrap<T>(detail::madd<T>(detail::raw(a), detail::raw(b), detail::raw(c)));
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B fms(B a, B b, B c) {
    return detail::wrap<T>(detail::madd<T>(detail::raw(a), detail::raw(b), -detail::raw(c)));
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B fnma(B a, B b, B c) {
    return detail::wrap<T>(detail::nmadd<T>(detail::raw(a), detail::raw(b), detail::raw(c)));
}

// A NaN in either operand propagates.
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B maximum(B a, B b) {
    return detail::wrap<T>(detail::larger<T>(detail::raw(a), detail::raw(b)));
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B minimum(B a, B b) {
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

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B abs(B x) {
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
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B sign(B x) {
    auto const v = detail::raw(x);
    auto const one = detail::splat<T>(T(1));
    return detail::wrap<T>(v > T(0) ? one : (v < T(0) ? -one : v));
}
template <number T>
constexpr T sign(T x) {
    return x > T(0) ? T(1) : (x < T(0) ? static_cast<T>(-1) : x);
}

// The magnitude of the first with the sign of the second.
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B copysign(B magnitude, B sign) {
    auto const bit = detail::sign_bit<T>();
    return detail::wrap<T>(std::bit_cast<detail::vec<T>>((detail::ibits<T>(detail::raw(magnitude)) & ~bit) |
                                                         (detail::ibits<T>(detail::raw(sign)) & bit)));
}

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline mask_of<B> isnan(B x) {
    return not_equal(x, x);
}
template <real T>
constexpr bool isnan(T x) {
    return x != x;
}

// Correctly rounded, infinity included.
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B sqrt(B x) {
    return detail::wrap<T>(detail::root<T>(detail::raw(x)));
}

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B round_even(B x) {
    return detail::wrap<T>(detail::rounded<detail::direction::even, T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B round(B x) {
    return round_even(x);
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B floor(B x) {
    return detail::wrap<T>(detail::rounded<detail::direction::down, T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B ceil(B x) {
    return detail::wrap<T>(detail::rounded<detail::direction::up, T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B trunc(B x) {
    return detail::wrap<T>(detail::rounded<detail::direction::zero, T>(detail::raw(x)));
}

// Numbers take the way of the batch, so that both agree to the last bit; or the instruction that does the same to one.
template <real T>
[[gnu::always_inline]] inline T copysign(T magnitude, T sign) {
    return detail::first(copysign(batch<T>(magnitude), batch<T>(sign)));
}
template <real T>
[[gnu::always_inline]] inline T fma(T a, T b, T c) {
    if constexpr (!detail::has_fma) return detail::first(fma(batch<T>(a), batch<T>(b), batch<T>(c)));
    else if constexpr (sizeof(T) == 4) return __builtin_fmaf(a, b, c);
    else return __builtin_fma(a, b, c);
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
    return detail::root_of_number(x);
}
template <real T>
[[gnu::always_inline]] inline T round_even(T x) {
    return detail::first(round_even(batch<T>(x)));
}
template <real T>
[[gnu::always_inline]] inline T round(T x) {
    return round_even(x);
}
template <real T>
[[gnu::always_inline]] inline T floor(T x) {
    return detail::first(floor(batch<T>(x)));
}
template <real T>
[[gnu::always_inline]] inline T ceil(T x) {
    return detail::first(ceil(batch<T>(x)));
}
template <real T>
[[gnu::always_inline]] inline T trunc(T x) {
    return detail::first(trunc(batch<T>(x)));
}

// A mixture of batches and numbers: the numbers are spread over a batch first.
template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto maximum(A a, B b) {
    using V = detail::batch_among<A, B>;
    return maximum(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto minimum(A a, B b) {
    using V = detail::batch_among<A, B>;
    return minimum(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <any_mask M, class A, class B>
    requires(number<A> || number<B>)
[[gnu::always_inline]] inline auto select(M m, A a, B b) {
    using V = detail::batch_among<A, B, batch_of<M>>;
    return select(m, detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B, class C>
    requires detail::mixed<A, B, C>
[[gnu::always_inline]] inline auto fma(A a, B b, C c) {
    using V = detail::batch_among<A, B, C>;
    return fma(detail::to_batch<V>(a), detail::to_batch<V>(b), detail::to_batch<V>(c));
}

// Across the lanes of one batch.
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline T reduce_add(B x) {
    return detail::across<T>(detail::raw(x), [](auto a, auto b) { return a + b; });
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline T reduce_mul(B x) {
    return detail::across<T>(detail::raw(x), [](auto a, auto b) { return a * b; });
}
// A NaN in any lane propagates.
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline T reduce_max(B x) {
    return detail::across<T>(detail::raw(x), [](auto a, auto b) { return detail::larger<T>(a, b); });
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline T reduce_min(B x) {
    return detail::across<T>(detail::raw(x), [](auto a, auto b) { return detail::smaller<T>(a, b); });
}

}  // namespace tapeless::simd
