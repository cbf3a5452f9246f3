// SPDX-License-Identifier: MIT
#pragma once
// rsqrt and hypot.

#include <tapeless/simd/rare_lanes.hpp>

namespace tapeless::simd {

namespace detail {

template <class T>
[[gnu::always_inline]] inline vec<T> rsqrt(vec<T> x) {
    return T(1) / root<T>(x);
}

// Both operands are scaled where the square of the larger would overflow or lose digits. An infinite operand wins
// over a NaN, as in C.
template <class T>
[[gnu::always_inline]] inline vec<T> hypot(vec<T> x, vec<T> y) {
    constexpr T large = sizeof(T) == 4 ? T(0x1p60) : T(0x1p500), infinity = std::numeric_limits<T>::infinity();
    vec<T> const a = magnitude<T>(x), b = magnitude<T>(y);
    vec<T> const longer = larger<T>(a, b), shorter = smaller<T>(a, b);
    auto const over = std::bit_cast<ivec<T>>(longer > large), under = std::bit_cast<ivec<T>>(longer < 1 / large);
    vec<T> const one = splat<T>(T(1)), up = splat<T>(large * large / 1024), down = splat<T>(1024 / large / large);
    vec<T> const scale = over ? down : (under ? up : one), back = over ? up : (under ? down : one);
    vec<T> const p = longer * scale, q = shorter * scale;
    vec<T> const r = root<T>(madd<T>(p, p, q * q)) * back;
    return std::bit_cast<ivec<T>>(a == infinity) | std::bit_cast<ivec<T>>(b == infinity) ? splat<T>(infinity) : r;
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B rsqrt(B x) {
    return detail::wrap<T>(detail::rsqrt<T>(detail::raw(x)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B hypot(B x, B y) {
    return detail::wrap<T>(detail::hypot<T>(detail::raw(x), detail::raw(y)));
}

template <real T>
[[gnu::always_inline]] inline T rsqrt(T x) {
    return detail::rsqrt<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T hypot(T x, T y) {
    return detail::hypot<T>(detail::splat<T>(x), detail::splat<T>(y))[0];
}

template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto hypot(A x, B y) {
    using V = detail::batch_among<A, B>;
    return hypot(detail::to_batch<V>(x), detail::to_batch<V>(y));
}

}  // namespace tapeless::simd
