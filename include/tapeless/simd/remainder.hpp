// SPDX-License-Identifier: MIT
#pragma once
// fmod, floor_mod and floor_div.

#include <tapeless/simd/rare_lanes.hpp>

namespace tapeless::simd {

namespace detail {

// x - q y for 1 <= q < 2^digits, whose value is a number: the product is taken without rounding, by a fused
// multiply-add or in halves that have no more than half of the digits each.
template <class T>
[[gnu::always_inline]] inline vec<T> exact_difference(vec<T> x, vec<T> q, vec<T> y) {
    if constexpr (has_fma) {
        return nmadd<T>(q, y, x);
    } else {
        constexpr int low = (std::numeric_limits<T>::digits + 1) / 2;
        auto const upper = [](vec<T> v) {
            constexpr auto half = int_like<T>(1) << (low - 1);
            return std::bit_cast<vec<T>>((ibits<T>(v) + half) & ~(2 * half - 1));
        };
        vec<T> const qh = upper(q), ql = q - qh, yh = upper(y), yl = y - yh;
        vec<T> const p = q * y;
        return (x - p) - (((qh * yh - p) + qh * yl + ql * yh) + ql * yl);
    }
}

// a - b trunc(a / b) without rounding: the quotient rounded may be one too large, which shows in the sign of the rest.
template <class T>
[[gnu::always_inline]] inline vec<T> fmod(vec<T> a, vec<T> b) {
    constexpr T limit = sizeof(T) == 4 ? T(0x1p24) : T(0x1p53), room = sizeof(T) == 4 ? T(0x1p100) : T(0x1p900);
    vec<T> const x = magnitude<T>(a), y = magnitude<T>(b);
    vec<T> const q = rounded<direction::zero, T>(x / y);
    vec<T> r = exact_difference<T>(x, q, y);
    r = r < T(0) ? r + y : r;
    auto const inside = std::bit_cast<ivec<T>>(x < y);
    ivec<T> const sign = ibits<T>(a) & sign_bit<T>();
    auto const rest = std::bit_cast<vec<T>>((inside ? ibits<T>(x) : ibits<T>(r) & ~sign_bit<T>()) | sign);
    auto plain = std::bit_cast<ivec<T>>(q < limit);
    if constexpr (!has_fma) plain &= std::bit_cast<ivec<T>>(x < room) & std::bit_cast<ivec<T>>(y > 1 / room);
    return unless_rare<T>(~(plain | inside), a, b, rest, [](T u, T v) { return std::fmod(u, v); });
}

// a - b floor(a / b), of the sign of b also where it is 0
template <class T>
[[gnu::always_inline]] inline vec<T> floor_mod(vec<T> a, vec<T> b) {
    vec<T> const r = fmod<T>(a, b);
    ivec<T> const sign = ibits<T>(b) & sign_bit<T>();
    auto const zero = std::bit_cast<ivec<T>>(r == T(0));
    vec<T> const moved = std::bit_cast<ivec<T>>((ibits<T>(r) ^ ibits<T>(b)) < 0) ? r + b : r;
    return std::bit_cast<vec<T>>(zero ? sign : ibits<T>(moved));
}

// floor(a / b) of the quotient as rounded
template <class T>
[[gnu::always_inline]] inline vec<T> floor_div(vec<T> a, vec<T> b) {
    return rounded<direction::down, T>(a / b);
}

}  // namespace detail

template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B fmod(B a, B b) {
    return detail::wrap<T>(detail::fmod<T>(detail::raw(a), detail::raw(b)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B floor_mod(B a, B b) {
    return detail::wrap<T>(detail::floor_mod<T>(detail::raw(a), detail::raw(b)));
}
template <real_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline B floor_div(B a, B b) {
    return detail::wrap<T>(detail::floor_div<T>(detail::raw(a), detail::raw(b)));
}

template <real T>
[[gnu::always_inline]] inline T fmod(T a, T b) {
    return detail::fmod<T>(detail::splat<T>(a), detail::splat<T>(b))[0];
}
template <real T>
[[gnu::always_inline]] inline T floor_mod(T a, T b) {
    return detail::floor_mod<T>(detail::splat<T>(a), detail::splat<T>(b))[0];
}
template <real T>
[[gnu::always_inline]] inline T floor_div(T a, T b) {
    return detail::floor_div<T>(detail::splat<T>(a), detail::splat<T>(b))[0];
}

template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto fmod(A a, B b) {
    using V = detail::batch_among<A, B>;
    return fmod(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto floor_mod(A a, B b) {
    using V = detail::batch_among<A, B>;
    return floor_mod(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::mixed<A, B>
[[gnu::always_inline]] inline auto floor_div(A a, B b) {
    using V = detail::batch_among<A, B>;
    return floor_div(detail::to_batch<V>(a), detail::to_batch<V>(b));
}

}  // namespace tapeless::simd
