// SPDX-License-Identifier: MIT
#pragma once
// Elements side by side, two by two: registers of every other element, and what the two of each pair come to.

#include <utility>

#include <tapeless/base/inline.hpp>
#include <tapeless/simd/elementary.hpp>
#include <tapeless/simd/load_store.hpp>

namespace tapeless::simd {

namespace detail {

/// The lanes of even numbers of two vectors, one after the other.
template <class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V even_lanes(V a, V b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, (2 * static_cast<int>(I))...);
}
/// And those of odd numbers.
template <class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V odd_lanes(V a, V b, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, (2 * static_cast<int>(I) + 1)...);
}
/// The lanes from From on, each twice.
template <int From, class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V twice(V a, std::index_sequence<I...>) {
    return __builtin_shufflevector(a, a, (From + static_cast<int>(I) / 2)...);
}
/// The lanes of two vectors in turn, from lane From of each on.
template <int From, class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V in_turn(V a, V b, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    return __builtin_shufflevector(a, b, (From + static_cast<int>(I) / 2 + (I % 2 ? n : 0))...);
}
template <class T>
inline constexpr auto every_lane = std::make_index_sequence<static_cast<std::size_t>(lanes<T>)>{};

}  // namespace detail

/// Of two registers' elements, those at even places and those at odd ones.
template <class T>
TAPELESS_CONFIG_INLINE inline void load_in_turn(T const* p, batch<T>& even, batch<T>& odd) {
    auto const a = detail::raw(load(p)), b = detail::raw(load(p + lanes<T>));
    even = detail::wrap<T>(detail::even_lanes(a, b, detail::every_lane<T>));
    odd = detail::wrap<T>(detail::odd_lanes(a, b, detail::every_lane<T>));
}

/// The sum of every two lanes of a, and of b behind them.
template <class T>
TAPELESS_CONFIG_INLINE inline batch<T> add_pairs(batch<T> x, batch<T> y) {
    auto const a = detail::raw(x), b = detail::raw(y);
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return detail::wrap<T>(vpaddq_f32(a, b));
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return detail::wrap<T>(vpaddq_f64(a, b));
    else
#endif
        return detail::wrap<T>(detail::even_lanes(a, b, detail::every_lane<T>) +
                               detail::odd_lanes(a, b, detail::every_lane<T>));
}
/// The larger of every two lanes of a, and of b behind them; NaN if one of them is.
template <class T>
TAPELESS_CONFIG_INLINE inline batch<T> larger_of_pairs(batch<T> x, batch<T> y) {
    auto const a = detail::raw(x), b = detail::raw(y);
#if defined(__aarch64__)
    if constexpr (sizeof(a) == 16 && std::same_as<T, float>) return detail::wrap<T>(vpmaxq_f32(a, b));
    else if constexpr (sizeof(a) == 16 && std::same_as<T, double>) return detail::wrap<T>(vpmaxq_f64(a, b));
    else
#endif
        return maximum(detail::wrap<T>(detail::even_lanes(a, b, detail::every_lane<T>)),
                       detail::wrap<T>(detail::odd_lanes(a, b, detail::every_lane<T>)));
}

}  // namespace tapeless::simd
