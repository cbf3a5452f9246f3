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

// sqrt(x) and 1/sqrt(x) of positive numbers; anything of others, but no positive root.
template <class V>
struct root_pair {
    V root, inverse;
};
template <class T>
[[gnu::always_inline]] inline root_pair<vec<T>> root_and_inverse(vec<T> x) {
#if defined(__aarch64__)
    // The estimate has 8 digits, and each step twice as many; dividers are slower, and take one number after the other.
    if constexpr (sizeof(x) == 16 && real<T>) {
        vec<T> const half = splat<T>(T(0.5));
        vec<T> estimate;
        if constexpr (std::same_as<T, float>) estimate = vrsqrteq_f32(x);
        else estimate = vrsqrteq_f64(x);
        vec<T> g = x * estimate, h = half * estimate;
        auto const step = [&]() __attribute__((always_inline)) {
            vec<T> const e = nmadd<T>(g, h, half);
            g = madd<T>(g, e, g);
            h = madd<T>(h, e, h);
        };
        step();
        step();
        if constexpr (sizeof(T) == 8) step();
        return {madd<T>(h, nmadd<T>(g, g, x), g), h + h};
    } else
#endif
    {
        vec<T> const y = root<T>(x);
        return {y, T(1) / y};
    }
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline detail::root_pair<B> root_and_inverse(B x) {
    auto const y = detail::root_and_inverse<T>(detail::raw(x));
    return {detail::wrap<T>(y.root), detail::wrap<T>(y.inverse)};
}
template <real T>
[[gnu::always_inline]] inline detail::root_pair<T> root_and_inverse(T x) {
    T const y =
        sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(static_cast<float>(x))) : static_cast<T>(__builtin_sqrt(x));
    return {y, 1 / y};
}

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
