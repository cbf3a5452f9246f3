// SPDX-License-Identifier: MIT
#pragma once
// The first and the second derivative of a function of one variable, at many places at once.

#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

template <class Op>
inline constexpr auto total = [](auto x) { return sum(Op{}(x)); };
template <class Op>
inline constexpr auto slope = [](auto x) { return ad::grad<0>(total<Op>)(x); };
template <class Op>
inline constexpr auto total_slope = [](auto x) { return sum(slope<Op>(x)); };
template <class Op>
inline constexpr auto curvature = [](auto x) { return ad::grad<0>(total_slope<Op>)(x); };
