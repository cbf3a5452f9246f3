// SPDX-License-Identifier: MIT
#pragma once
// Functions of several arrays with tensors among them, which are constants of the program: indices, kernels of
// convolutions, matrices of systems, tables.

#include <tapeless/ops/arrange.hpp>
#include <tapeless/ops/constant.hpp>
#include <tapeless/ops/convolution.hpp>
#include <tapeless/ops/element.hpp>
#include <tapeless/ops/linalg/functions.hpp>
#include <tapeless/ops/linalg/qr.hpp>
#include <tapeless/ops/linalg/solve.hpp>
#include <tapeless/ops/linalg/triangular.hpp>
#include <tapeless/ops/power.hpp>
#include <tapeless/ops/rectifier.hpp>

namespace tapeless {
namespace detail::inline ops_part {

template <class Tensor, class... I>
constexpr auto element_of_constant(Tensor const& tensor, I const&... i) {
    return with_indices([](auto const& x, auto const&... k) { return select_element(x, k...); }, tensor, i...);
}
}  // namespace detail::ops_part

template <int Axis, class... A>
    requires detail::constants_among<A...>
constexpr auto gather(A const&... a) {
    return detail::with_indices([](auto const&... x) { return gather<Axis>(x...); }, a...);
}
template <int Axis, class... A>
    requires detail::constants_among<A...>
constexpr auto index_select(A const&... a) {
    return detail::with_indices([](auto const&... x) { return index_select<Axis>(x...); }, a...);
}
template <int Axis, class... A>
    requires detail::constants_among<A...>
constexpr auto select(A const&... a) {
    return detail::with_indices([](auto const&... x) { return select<Axis>(x...); }, a...);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto take(A const&... a) {
    return detail::with_indices([](auto const&... x) { return take(x...); }, a...);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto embedding(A const&... a) {
    return detail::with_indices([](auto const&... x) { return embedding(x...); }, a...);
}
template <int Axis, class... A>
    requires detail::constants_among<A...>
constexpr auto scatter_add(A const&... a) {
    return detail::with_indices([](auto const&... x) { return scatter_add<Axis>(x...); }, a...);
}
template <int Axis, class... A>
    requires detail::constants_among<A...>
constexpr auto index_add(A const&... a) {
    return detail::with_indices([](auto const&... x) { return index_add<Axis>(x...); }, a...);
}
template <int Segments, class... A>
    requires detail::constants_among<A...>
constexpr auto segment_sum(A const&... a) {
    return detail::with_indices([](auto const&... x) { return segment_sum<Segments>(x...); }, a...);
}

template <class A, class B>
    requires detail::constants_among<A, B>
constexpr auto operator&&(A const& a, B const& b) {
    return detail::with_constants([](auto const& x, auto const& y) { return x && y; }, a, b);
}
template <class A, class B>
    requires detail::constants_among<A, B>
constexpr auto operator||(A const& a, B const& b) {
    return detail::with_constants([](auto const& x, auto const& y) { return x || y; }, a, b);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto masked_fill(A const&... a) {
    return detail::with_constants([](auto const&... x) { return masked_fill(x...); }, a...);
}
template <class A, class B>
    requires detail::constants_among<A, B>
constexpr auto pow(A const& a, B const& b) {
    return detail::with_constants([](auto const&... x) { return pow(x...); }, a, b);
}
template <class A, class B>
    requires detail::constants_among<A, B>
constexpr auto prelu(A const& a, B const& b) {
    return detail::with_constants([](auto const&... x) { return prelu(x...); }, a, b);
}
template <int Axis = -1, class A, class B>
    requires detail::constants_among<A, B>
constexpr auto cross(A const& a, B const& b) {
    return detail::with_constants([](auto const&... x) { return cross<Axis>(x...); }, a, b);
}

template <conv C = conv{}, class... A>
    requires detail::constants_among<A...>
constexpr auto conv1d(A const&... a) {
    return detail::with_constants([](auto const&... x) { return conv1d<C>(x...); }, a...);
}
template <conv C = conv{}, class... A>
    requires detail::constants_among<A...>
constexpr auto conv2d(A const&... a) {
    return detail::with_constants([](auto const&... x) { return conv2d<C>(x...); }, a...);
}
template <conv C = conv{}, class... A>
    requires detail::constants_among<A...>
constexpr auto conv3d(A const&... a) {
    return detail::with_constants([](auto const&... x) { return conv3d<C>(x...); }, a...);
}
template <conv C = conv{}, class... A>
    requires detail::constants_among<A...>
constexpr auto conv_transpose1d(A const&... a) {
    return detail::with_constants([](auto const&... x) { return conv_transpose1d<C>(x...); }, a...);
}
template <conv C = conv{}, class... A>
    requires detail::constants_among<A...>
constexpr auto conv_transpose2d(A const&... a) {
    return detail::with_constants([](auto const&... x) { return conv_transpose2d<C>(x...); }, a...);
}

namespace linalg {
template <class... A>
    requires detail::constants_among<A...>
constexpr auto kron(A const&... a) {
    return detail::with_constants([](auto const&... x) { return kron(x...); }, a...);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto solve(A const&... a) {
    return detail::with_constants([](auto const&... x) { return solve(x...); }, a...);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto solve_spd(A const&... a) {
    return detail::with_constants([](auto const&... x) { return solve_spd(x...); }, a...);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto solve_triangular(A const&... a) {
    return detail::with_constants([](auto const&... x) { return solve_triangular(x...); }, a...);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto lstsq(A const&... a) {
    return detail::with_constants([](auto const&... x) { return lstsq(x...); }, a...);
}
}  // namespace linalg
}  // namespace tapeless
