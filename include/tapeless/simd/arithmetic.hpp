// SPDX-License-Identifier: MIT
#pragma once
// + - * / by name: what xsimd's operators mean, at a fraction of their cost in overload resolution.

#include <tapeless/simd/batch.hpp>

namespace tapeless::simd {

template <class T>
[[gnu::always_inline]] inline batch<T> add(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap<T>(detail::raw(a) + detail::raw(b));
}
template <class T>
[[gnu::always_inline]] inline batch<T> sub(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap<T>(detail::raw(a) - detail::raw(b));
}
template <class T>
[[gnu::always_inline]] inline batch<T> mul(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap<T>(detail::raw(a) * detail::raw(b));
}
template <class T>
[[gnu::always_inline]] inline batch<T> div(xsimd::batch<T> a, xsimd::batch<T> b) {
    return detail::wrap<T>(detail::raw(a) / detail::raw(b));
}
template <class T>
[[gnu::always_inline]] inline batch<T> neg(xsimd::batch<T> a) {
    return detail::wrap<T>(-detail::raw(a));
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
