// SPDX-License-Identifier: MIT
#pragma once
// + - * / by name: what the operators mean, at a fraction of their cost in overload resolution.

#include <tapeless/simd/bit_masks.hpp>

namespace tapeless::simd {

namespace detail {
// Integers are added and multiplied as unsigned ones, which may overflow.
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline auto counted(B x) {
    if constexpr (std::integral<T>) return ubits<T>(raw(x));
    else return raw(x);
}
template <class T, class V>
[[gnu::always_inline]] inline batch<T> from_counted(V v) {
    return wrap<T>(std::bit_cast<vec<T>>(v));
}
}  // namespace detail

template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B add(B a, B b) {
    return detail::from_counted<T>(detail::counted(a) + detail::counted(b));
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B sub(B a, B b) {
    return detail::from_counted<T>(detail::counted(a) - detail::counted(b));
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B mul(B a, B b) {
    return detail::from_counted<T>(detail::counted(a) * detail::counted(b));
}
// Integers: anything divided by 0 is 0, and the smallest number divided by -1 is itself; on x86 both would be
// signals, also in lanes behind the end of an array.
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B div(B a, B b) {
    if constexpr (std::integral<T>) {
        detail::vec<T> const x = detail::raw(a), y = detail::raw(b);
        detail::ivec<T> const none = y == T(0), minus = y == T(-1);
        detail::vec<T> const quotient = x / ((none | minus) ? T(1) + detail::vec<T>{} : y);
        auto const negated = std::bit_cast<detail::vec<T>>(0 - detail::ubits<T>(x));  // unsigned: it may overflow
        return detail::wrap<T>(minus ? negated : quotient & ~none);
    } else {
        return detail::wrap<T>(detail::raw(a) / detail::raw(b));
    }
}
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B neg(B a) {
    return detail::from_counted<T>(-detail::counted(a));
}
// Logic on masks.
template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline M both(M a, M b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return detail::of_bits<T>(a.data & b.data);
#endif
    return detail::wrap_mask<T>(detail::raw(a) & detail::raw(b));
}
template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline M either(M a, M b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return detail::of_bits<T>(a.data | b.data);
#endif
    return detail::wrap_mask<T>(detail::raw(a) | detail::raw(b));
}
template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline M none_of(M a) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return detail::of_bits<T>(~a.data);
#endif
    return detail::wrap_mask<T>(~detail::raw(a));
}
template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline M equal(M a, M b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return detail::of_bits<T>(~(a.data ^ b.data));
#endif
    return detail::wrap_mask<T>(~(detail::raw(a) ^ detail::raw(b)));
}
template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline M not_equal(M a, M b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return detail::of_bits<T>(a.data ^ b.data);
#endif
    return detail::wrap_mask<T>(detail::raw(a) ^ detail::raw(b));
}
template <any_mask M, class T = value_of<M>>
[[gnu::always_inline]] inline M select(M m, M a, M b) {
#if defined(__AVX512F__)
    if constexpr (detail::bit_mask<T>) return detail::of_bits<T>((m.data & a.data) | (~m.data & b.data));
#endif
    return detail::wrap_mask<T>((detail::raw(m) & detail::raw(a)) | (~detail::raw(m) & detail::raw(b)));
}

template <number T>
constexpr T add(T a, T b) {
    return static_cast<T>(a + b);
}
template <number T>
constexpr T sub(T a, T b) {
    return static_cast<T>(a - b);
}
template <number T>
constexpr T mul(T a, T b) {
    return static_cast<T>(a * b);
}
template <number T>
constexpr T div(T a, T b) {
    return static_cast<T>(a / b);
}
template <number T>
constexpr T neg(T a) {
    return static_cast<T>(-a);
}

}  // namespace tapeless::simd
