// SPDX-License-Identifier: MIT
#pragma once
// into(a, b, ...): where gradients, or the value of fused(f), are written instead of being returned.

#include <tuple>
#include <utility>

namespace tapeless {

/// Targets of a call, by reference where they were named and by value where they only point (view, span).
template <class... T>
struct into_t {
    std::tuple<T...> targets;
};

/// As first argument of a gradient: writes it there and returns only the value; of fused(f): writes the value there,
/// or its several results to as many targets.
/// Allocates nothing after the first call.
template <class... T>
constexpr into_t<T...> into(T&&... targets) {
    return {std::tuple<T...>(std::forward<T>(targets)...)};
}

namespace detail {
template <class T>
inline constexpr bool is_into = false;
template <class... T>
inline constexpr bool is_into<into_t<T...>> = true;
}  // namespace detail
}  // namespace tapeless
