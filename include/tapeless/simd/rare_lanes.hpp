// SPDX-License-Identifier: MIT
#pragma once
// The lanes that a vector kernel leaves out, through a function of numbers.

#include <cmath>

#include <tapeless/simd/elementary.hpp>

namespace tapeless::simd::detail {

// f of the lanes of m, the others as they are in `otherwise`.
template <class T, class F>
[[gnu::noinline, gnu::cold]] vec<T> lane_by_lane(mask<T> m, batch<T> x, batch<T> otherwise, F f) {
    vec<T> out = raw(otherwise);
    for (int i = 0; i < lanes<T>; ++i)
        if (raw(m)[i] != 0) out[i] = f(raw(x)[i]);
    return out;
}
template <class T, class F>
[[gnu::noinline, gnu::cold]] vec<T> lane_by_lane(mask<T> m, batch<T> x, batch<T> y, batch<T> otherwise, F f) {
    vec<T> out = raw(otherwise);
    for (int i = 0; i < lanes<T>; ++i)
        if (raw(m)[i] != 0) out[i] = f(raw(x)[i], raw(y)[i]);
    return out;
}

// y, where no lane is rare; f must agree with it to within its error.
template <class T, class F>
[[gnu::always_inline]] inline vec<T> unless_rare(ivec<T> rare, vec<T> x, vec<T> y, F f) {
    if (any_lane<T>(rare)) [[unlikely]]
        return lane_by_lane<T>(wrap_mask<T>(rare), wrap<T>(x), wrap<T>(y), f);
    return y;
}
template <class T, class F>
[[gnu::always_inline]] inline vec<T> unless_rare(ivec<T> rare, vec<T> a, vec<T> b, vec<T> y, F f) {
    if (any_lane<T>(rare)) [[unlikely]]
        return lane_by_lane<T>(wrap_mask<T>(rare), wrap<T>(a), wrap<T>(b), wrap<T>(y), f);
    return y;
}

// The magnitude and the sign bit, and the way back: x = signed_as(magnitude(x), x).
template <class T>
[[gnu::always_inline]] inline vec<T> magnitude(vec<T> x) {
    return std::bit_cast<vec<T>>(ibits<T>(x) & ~sign_bit<T>());
}
template <class T>
[[gnu::always_inline]] inline vec<T> signed_as(vec<T> positive, vec<T> x) {
    return std::bit_cast<vec<T>>(ibits<T>(positive) | (ibits<T>(x) & sign_bit<T>()));
}

}  // namespace tapeless::simd::detail
