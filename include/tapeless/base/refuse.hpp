// SPDX-License-Identifier: MIT
#pragma once
// How something is refused by name: a struct whose static_assert fails is made complete, and nothing else goes wrong.

namespace tapeless {

/// refuse(because<name_of_what_is_wrong<...>>{}) asks whether that struct is derived from `no_reason`, for which the
/// compiler makes it complete. (Not sizeof: where the struct is in error, so is for clang every function that asks
/// for its size.) False.
template <class Reason>
using because = Reason*;
struct no_reason {};
constexpr bool refuse(no_reason const*) { return false; }
constexpr bool refuse(void const*) { return false; }
/// What such a struct asserts: false, of whatever type (functions have no size), and compilers have nothing to explain.
template <class...>
inline constexpr bool never = false;

}  // namespace tapeless
