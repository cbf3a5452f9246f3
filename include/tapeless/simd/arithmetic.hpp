// SPDX-License-Identifier: MIT
#pragma once
// + - * / by name: what xsimd's operators mean, at a fraction of their cost in overload resolution.

#include <tapeless/simd/batch.hpp>

namespace tapeless::simd {

namespace detail {
// Integers are added and multiplied as unsigned ones, which may overflow.
template <class T>
[[gnu::always_inline]] inline auto counted(xsimd::batch<T> x) {
    if constexpr (std::integral<T>) return ubits<T>(raw(x));
    else return raw(x);
}
template <class T, class V>
[[gnu::always_inline]] inline batch<T> from_counted(V v) {
    return wrap<T>(std::bit_cast<vec<T>>(v));
}
}  // namespace detail

template <class T>
[[gnu::always_inline]] inline batch<T> add(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::from_counted<T>(detail::counted(a) + detail::counted(b));
}
template <class T>
[[gnu::always_inline]] inline batch<T> sub(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::from_counted<T>(detail::counted(a) - detail::counted(b));
}
template <class T>
[[gnu::always_inline]] inline batch<T> mul(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::from_counted<T>(detail::counted(a) * detail::counted(b));
}
// Integers: anything divided by 0 is 0, and the smallest number divided by -1 is itself; on x86 both would be signals, also
// in lanes behind the end of an array.
template <class T>
[[gnu::always_inline]] inline batch<T> div(xsimd::batch<T> a, xsimd::batch<T> b) {
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
template <class T>
[[gnu::always_inline]] inline batch<T> neg(xsimd::batch<T> a) {
    return detail::from_counted<T>(-detail::counted(a));
}
// Logic on masks.
template <class T>
[[gnu::always_inline]] inline mask<T> both(xsimd::batch_bool<T> a, xsimd::batch_bool<T> b) {
    return detail::wrap_mask<T>(detail::raw(a) & detail::raw(b));
}
template <class T>
[[gnu::always_inline]] inline mask<T> either(xsimd::batch_bool<T> a, xsimd::batch_bool<T> b) {
    return detail::wrap_mask<T>(detail::raw(a) | detail::raw(b));
}
template <class T>
[[gnu::always_inline]] inline mask<T> none_of(xsimd::batch_bool<T> a) {
    return detail::wrap_mask<T>(~detail::raw(a));
}
template <class T>
[[gnu::always_inline]] inline mask<T> equal(xsimd::batch_bool<T> a, xsimd::batch_bool<T> b) {
    return detail::wrap_mask<T>(~(detail::raw(a) ^ detail::raw(b)));
}
template <class T>
[[gnu::always_inline]] inline mask<T> not_equal(xsimd::batch_bool<T> a, xsimd::batch_bool<T> b) {
    return detail::wrap_mask<T>(detail::raw(a) ^ detail::raw(b));
}
template <class T>
[[gnu::always_inline]] inline mask<T> select(xsimd::batch_bool<T> m, xsimd::batch_bool<T> a, xsimd::batch_bool<T> b) {
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
