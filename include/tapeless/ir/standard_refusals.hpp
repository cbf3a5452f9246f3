// SPDX-License-Identifier: MIT
#pragma once
// std::min, std::max, std::clamp and std::accumulate on symbols: refused by name, where the compiler would list all the
// standard library's overloads. They are declared where the call looks for them; none of them can be called by a
// program that compiles.

#include <tapeless/ir/refusals.hpp>

namespace tapeless::detail {
template <class A, class... Others>
constexpr auto refuse_algorithm(A const& a, Others const&... others) {
    if constexpr (any_expression<A>) return refuse(because<standard_algorithm_on_a_symbol<A>>{}), a;
    else return detail::refuse_algorithm(others...);
}
}  // namespace tapeless::detail

namespace std {
template <class A, class B>
    requires(tapeless::any_expression<A> || tapeless::any_expression<B>)
constexpr auto min(A const& a, B const& b) {
    return tapeless::detail::refuse_algorithm(a, b);
}
template <class A, class B>
    requires(tapeless::any_expression<A> || tapeless::any_expression<B>)
constexpr auto max(A const& a, B const& b) {
    return tapeless::detail::refuse_algorithm(a, b);
}
template <class A, class L, class H>
    requires(tapeless::any_expression<A> || tapeless::any_expression<L> || tapeless::any_expression<H>)
constexpr auto clamp(A const& x, L const& low, H const& high) {
    return tapeless::detail::refuse_algorithm(x, low, high);
}
/// begin() was refused.
template <class T, class Sum>
constexpr Sum accumulate(tapeless::symbol<T> const*, tapeless::symbol<T> const*, Sum start) {
    return start;
}
}  // namespace std
