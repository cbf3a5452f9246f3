// SPDX-License-Identifier: MIT
#pragma once
// Trees of symbols inside a function, leaf by leaf: zeros_like, stop_gradient, axpy, dot, norm. map_leaves and
// for_each_leaf take them too.

#include <tapeless/array/leaves.hpp>
#include <tapeless/compile/results.hpp>
#include <tapeless/ops/constant.hpp>
#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless {
namespace detail::inline transform_part {
/// A tuple, array, struct or model of expressions.
template <class A>
concept tree_of_symbols = !expression<A> && is_result<std::remove_cvref_t<A>>();
/// The first expression of a tree.
template <class A>
constexpr auto first_of_tree(A const& a) {
    if constexpr (expression<A>) return let(a);
    else return first_of_tree(std::get<0>(parts_of(a)));
}
}  // namespace detail::transform_part

/// The values of a tree; nothing flows back through it.
template <detail::tree_of_symbols Tree>
constexpr auto stop_gradient(Tree const& tree) {
    return map_leaves([](auto const& s) { return stop_gradient(s); }, tree);
}
/// A tree of arrays that hold `value`.
template <detail::tree_of_symbols Tree>
constexpr auto full_like(Tree const& tree, double value) {
    return map_leaves([value](auto const& s) { return full_like(s, value); }, tree);
}
template <detail::tree_of_symbols Tree>
constexpr auto zeros_like(Tree const& tree) {
    return map_leaves([](auto const& s) { return zeros_like(s); }, tree);
}
template <detail::tree_of_symbols Tree>
constexpr auto ones_like(Tree const& tree) {
    return map_leaves([](auto const& s) { return ones_like(s); }, tree);
}
/// The tree a * x + y; a is a number or an expression of one.
template <operand_like S, detail::tree_of_symbols X, detail::tree_of_symbols Y>
constexpr auto axpy(S const& a, X const& x, Y const& y) {
    return map_leaves([&a](auto const& p, auto const& q) { return a * q + p; }, y, x);
}
/// The sum of products of two trees alike.
template <detail::tree_of_symbols X, detail::tree_of_symbols Y>
constexpr auto dot(X const& x, Y const& y) {
    auto const first = detail::first_of_tree(x);
    symbol<typename std::remove_cvref_t<decltype(first)>::value_type> s = zeros_like(sum(first));
    for_each_leaf([&](auto const& p, auto const& q) { s = s + sum(p * q); }, x, y);
    return s;
}
/// The Euclidean length of all numbers of a tree.
template <detail::tree_of_symbols X>
constexpr auto norm(X const& x) {
    return sqrt(dot(x, x));
}

}  // namespace tapeless
