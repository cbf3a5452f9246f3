// SPDX-License-Identifier: MIT
#pragma once
// erf and erfc.

#include <tapeless/simd/rare_lanes.hpp>

namespace tapeless::simd {

namespace detail {

template <class T>
[[gnu::always_inline]] inline vec<T> erf(vec<T> x) {
    return lane_by_lane<T>(wrap_mask<T>(~ivec<T>{}), wrap<T>(x), wrap<T>(x), [](T v) { return std::erf(v); });
}
template <class T>
[[gnu::always_inline]] inline vec<T> erfc(vec<T> x) {
    return lane_by_lane<T>(wrap_mask<T>(~ivec<T>{}), wrap<T>(x), wrap<T>(x), [](T v) { return std::erfc(v); });
}

}  // namespace detail

template <real T>
[[gnu::always_inline]] inline batch<T> erf(xsimd::batch<T> x) {
    return detail::wrap<T>(detail::erf<T>(detail::raw(x)));
}
template <real T>
[[gnu::always_inline]] inline batch<T> erfc(xsimd::batch<T> x) {
    return detail::wrap<T>(detail::erfc<T>(detail::raw(x)));
}

template <real T>
[[gnu::always_inline]] inline T erf(T x) {
    return detail::erf<T>(detail::splat<T>(x))[0];
}
template <real T>
[[gnu::always_inline]] inline T erfc(T x) {
    return detail::erfc<T>(detail::splat<T>(x))[0];
}

}  // namespace tapeless::simd
