// SPDX-License-Identifier: MIT
#pragma once
// The sums of the lanes of several registers, all at once: registers are folded onto each other, each in a half, a
// quarter, ... of what is left, with as many additions as one of them alone takes, and not many more. Each sum is the
// one that reduce_add gives, bit by bit.

#include <tapeless/simd/instructions.hpp>

namespace tapeless::simd {

namespace detail {

/// Of every 2 * d lanes the sums of x's lanes d apart, and behind them those of y's.
template <int d, class T>
[[gnu::always_inline]] inline vec<T> folded(vec<T> x, vec<T> y) {
    auto const fold = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        constexpr int L = lanes<T>;
        return __builtin_shufflevector(x, y, (i & d ? L + i - d : i)...) +
               __builtin_shufflevector(x, y, (i & d ? L + i : i + d)...);
    };
    return fold(std::make_integer_sequence<int, lanes<T>>{});
}
template <int d, class T>
[[gnu::always_inline]] inline vec<T> sums_in_parts(vec<T> v) {
    if constexpr (d == 0) return v;
    else return sums_in_parts<d / 2, T>(folded<d, T>(v, v));
}

}  // namespace detail

/// How many registers are taken at once: each keeps a lane.
template <class T>
inline constexpr int sums_at_once = lanes<T> < 4 ? 2 : 4;

/// to[i] = the sum of the lanes of v[i], for sums_at_once of them.
template <any_batch B, class T = value_of<B>>
[[gnu::always_inline]] inline void reduce_add_each(B const* v, T* to) {
    constexpr int L = lanes<T>, n = sums_at_once<T>;
    detail::vec<T> all = detail::folded<L / 2, T>(detail::raw(v[0]), detail::raw(v[1]));
    if constexpr (n == 4)
        all = detail::folded<L / 4, T>(all, detail::folded<L / 2, T>(detail::raw(v[2]), detail::raw(v[3])));
    all = detail::sums_in_parts<L / n / 2, T>(all);
    auto const leave = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        auto const sums = __builtin_shufflevector(all, all, (i % 2 * (L / 2) + i / 2 * (L / 4))...);
        __builtin_memcpy(to, &sums, sizeof sums);
    };
    leave(std::make_integer_sequence<int, n>{});
}

}  // namespace tapeless::simd
