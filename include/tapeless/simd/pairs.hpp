// SPDX-License-Identifier: MIT
#pragma once
// Elements side by side, by twos and threes: registers of every second or third element, and what pairs come to.

#include <concepts>
#include <cstddef>
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
/// Each lane Times times: part Part of as many vectors.
template <int Times, int Part, class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V repeated(V a, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    return __builtin_shufflevector(a, a, ((Part * n + static_cast<int>(I)) / Times)...);
}
/// The lanes of two vectors in turn, from lane From of each on.
template <int From, class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V in_turn(V a, V b, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    return __builtin_shufflevector(a, b, (From + static_cast<int>(I) / 2 + (I % 2 ? n : 0))...);
}
/// Of three vectors one after the other, lane First and every third behind it.
template <int First, class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V every_third(V a, V b, V c, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    auto const at = [](int i) consteval { return First + 3 * i; };
    V const most = __builtin_shufflevector(a, b, (at(static_cast<int>(I)) < 2 * n ? at(static_cast<int>(I)) : 0)...);
    return __builtin_shufflevector(
        most, c, (at(static_cast<int>(I)) < 2 * n ? static_cast<int>(I) : at(static_cast<int>(I)) - n)...);
}
/// The lanes of three vectors in turn: those of number Part * n to Part * n + n - 1 of the 3 n.
template <int Part, class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V three_in_turn(V a, V b, V c, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    auto const from = [](int i) consteval { return (Part * n + i) % 3; };
    auto const lane = [](int i) consteval { return (Part * n + i) / 3; };
    V const most = __builtin_shufflevector(
        a, b, (from(static_cast<int>(I)) < 2 ? from(static_cast<int>(I)) * n + lane(static_cast<int>(I)) : 0)...);
    return __builtin_shufflevector(
        most, c, (from(static_cast<int>(I)) < 2 ? static_cast<int>(I) : n + lane(static_cast<int>(I)))...);
}
template <class T>
inline constexpr auto every_lane = std::make_index_sequence<static_cast<std::size_t>(lanes<T>)>{};

/// Of elements by threes, those side by side that begin at an even one, and the one that is left: of three vectors one
/// after the other, v[0] and v[2] = elements 0 1, 4 5, 6 7, 10 11, ..., v[1] = 2 3, 8 9, ...
template <class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline void pairs_of_triples(V* v, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    if constexpr (n > 2) {  // else each is a pair
        auto const beside = [](int i) consteval { return 6 * (i / 4) + (i % 4 < 2 ? 0 : 2) + i % 4; };
        auto const left = [](int i) consteval { return 6 * (i / 2) + 2 + i % 2; };
        V const a = v[0], b = v[1], c = v[2];
        v[0] = __builtin_shufflevector(a, b, beside(static_cast<int>(I))...);
        v[2] = __builtin_shufflevector(b, c, (beside(n + static_cast<int>(I)) - n)...);
        if constexpr (n == 4) {
            v[1] = __builtin_shufflevector(
                a, c, (left(static_cast<int>(I)) % (2 * n) + (left(static_cast<int>(I)) < 2 * n ? 0 : n))...);
        } else {
            V const most =
                __builtin_shufflevector(a, b, (left(static_cast<int>(I)) < 2 * n ? left(static_cast<int>(I)) : 0)...);
            v[1] = __builtin_shufflevector(
                most, c, (left(static_cast<int>(I)) < 2 * n ? static_cast<int>(I) : left(static_cast<int>(I)) - n)...);
        }
    }
}
/// v[0], v[1], ... = of S vectors one after the other, the lanes whose numbers leave that remainder by S.
template <int S, class V, class Lanes>
TAPELESS_CONFIG_INLINE inline void part_by_remainder(V* v, Lanes each_lane) {
    static_assert(S >= 1 && S <= 3);
    if constexpr (S == 2) {
        V const a = v[0], b = v[1];
        v[0] = even_lanes(a, b, each_lane);
        v[1] = odd_lanes(a, b, each_lane);
    } else if constexpr (S == 3) {
        V const a = v[0], b = v[1], c = v[2];
        v[0] = every_third<0>(a, b, c, each_lane);
        v[1] = every_third<1>(a, b, c, each_lane);
        v[2] = every_third<2>(a, b, c, each_lane);
    }
}
/// The reverse of it.
template <int S, class V, class Lanes>
TAPELESS_CONFIG_INLINE inline void join_by_remainder(V* v, Lanes each_lane) {
    static_assert(S >= 1 && S <= 3);
    constexpr int n = static_cast<int>(Lanes::size());
    if constexpr (S == 2) {
        V const a = v[0], b = v[1];
        v[0] = in_turn<0>(a, b, each_lane);
        v[1] = in_turn<n / 2>(a, b, each_lane);
    } else if constexpr (S == 3) {
        V const a = v[0], b = v[1], c = v[2];
        v[0] = three_in_turn<0>(a, b, c, each_lane);
        v[1] = three_in_turn<1>(a, b, c, each_lane);
        v[2] = three_in_turn<2>(a, b, c, each_lane);
    }
}

}  // namespace detail

/// Of two registers' elements, those at even places and those at odd ones.
template <class T>
TAPELESS_CONFIG_INLINE inline void load_in_turn(T const* p, batch<T>& even, batch<T>& odd) {
    auto const a = detail::raw(load(p)), b = detail::raw(load(p + lanes<T>));
    even = detail::wrap<T>(detail::even_lanes(a, b, detail::every_lane<T>));
    odd = detail::wrap<T>(detail::odd_lanes(a, b, detail::every_lane<T>));
}

/// The sum of every two lanes of x, and of y behind them.
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
/// The larger of every two lanes of x, and of y behind them; NaN if one of them is.
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
