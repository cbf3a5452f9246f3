// SPDX-License-Identifier: MIT
#pragma once
// Arrays and texts of other libraries beside symbols: refused, with where they belong.

#include <concepts>

#include <tapeless/array/layout.hpp>
#include <tapeless/base/refused.hpp>
#include <tapeless/ir/expression.hpp>

namespace tapeless {

/// Refuses x * std::vector<double>{1, 2, 3} and the like.
template <class Other>
struct array_beside_a_symbol_is_no_argument {
    static_assert(never<Other>,
                  "beside a symbol stand symbols, numbers, and constants: ad::tensor<double, 3>{1, 2, 3}, of extents "
                  "known when compiled. Other arrays are arguments of the function, and texts have no arithmetic");
};

namespace detail::inline ops_part {
/// std::vector, std::array, views, texts: what has elements in memory and is no constant of a function.
template <class A>
concept of_elsewhere = !any_expression<A> && !is_tensor<A> && !std::derived_from<A, among_arrays> &&
                       (std::convertible_to<A const&, char const*> || requires(A const& a) { a.data(), a.size(); });
}  // namespace detail::ops_part

template <expression A, detail::of_elsewhere B>
constexpr A operator+(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <detail::of_elsewhere A, expression B>
constexpr B operator+(A const&, B const& b) {
    return refuse(because<array_beside_a_symbol_is_no_argument<A>>{}), b;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator-(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <detail::of_elsewhere A, expression B>
constexpr B operator-(A const&, B const& b) {
    return refuse(because<array_beside_a_symbol_is_no_argument<A>>{}), b;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator*(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <detail::of_elsewhere A, expression B>
constexpr B operator*(A const&, B const& b) {
    return refuse(because<array_beside_a_symbol_is_no_argument<A>>{}), b;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator/(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <detail::of_elsewhere A, expression B>
constexpr B operator/(A const&, B const& b) {
    return refuse(because<array_beside_a_symbol_is_no_argument<A>>{}), b;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator<(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator<=(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator>(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator>=(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator==(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}
template <expression A, detail::of_elsewhere B>
constexpr A operator!=(A const& a, B const&) {
    return refuse(because<array_beside_a_symbol_is_no_argument<B>>{}), a;
}

}  // namespace tapeless
