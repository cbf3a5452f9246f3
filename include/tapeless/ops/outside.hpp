// SPDX-License-Identifier: MIT
#pragma once
// Arithmetic on arrays outside a function: refused, with where it belongs. What users define of these names for tensors
// is the better match.

#include <concepts>

#include <tapeless/array/expression_base.hpp>
#include <tapeless/array/tensor.hpp>
#include <tapeless/base/refused.hpp>

namespace tapeless {

/// Refuses to compute with arrays where they are.
template <class... Arrays>
struct arrays_are_computed_with_in_functions {
    static_assert(
        never<Arrays...>,
        "arrays are computed with in functions, over symbols, whose parameters are auto: auto y = "
        "ad::evaluate([](auto a, auto b) { return exp(a) + b; }, x, z), or ad::fused, ad::grad of such a function. In "
        "one, a tensor is a constant beside a symbol: transpose(m + 0.0 * a[0])");
};

namespace detail::inline ops_part {
template <class... A>
constexpr refused outside_a_function() {
    if constexpr (!(std::same_as<A, refused> || ...)) refuse(because<arrays_are_computed_with_in_functions<A...>>{});
    return {};
}
/// A tensor in place of an expression. It is converted to this: any function that takes it as it is comes first.
struct array_outside {
    template <class T, auto... E>
        requires(sizeof...(E) > 0)
    constexpr array_outside(tensor<T, E...> const&) { outside_a_function<tensor<T, E...>>(); }
};
}  // namespace detail::ops_part

template <class T, auto... E, class B>
    requires(sizeof...(E) > 0 && !any_expression<B>)
constexpr detail::refused operator+(tensor<T, E...> const&, B const&) {
    return detail::outside_a_function<tensor<T, E...>, B>();
}
template <class T, auto... E>
    requires(sizeof...(E) > 0)
constexpr detail::refused operator+(double, tensor<T, E...> const&) {
    return detail::outside_a_function<tensor<T, E...>>();
}
template <class T, auto... E, class B>
    requires(sizeof...(E) > 0 && !any_expression<B>)
constexpr detail::refused operator-(tensor<T, E...> const&, B const&) {
    return detail::outside_a_function<tensor<T, E...>, B>();
}
template <class T, auto... E>
    requires(sizeof...(E) > 0)
constexpr detail::refused operator-(double, tensor<T, E...> const&) {
    return detail::outside_a_function<tensor<T, E...>>();
}
template <class T, auto... E, class B>
    requires(sizeof...(E) > 0 && !any_expression<B>)
constexpr detail::refused operator*(tensor<T, E...> const&, B const&) {
    return detail::outside_a_function<tensor<T, E...>, B>();
}
template <class T, auto... E>
    requires(sizeof...(E) > 0)
constexpr detail::refused operator*(double, tensor<T, E...> const&) {
    return detail::outside_a_function<tensor<T, E...>>();
}
template <class T, auto... E, class B>
    requires(sizeof...(E) > 0 && !any_expression<B>)
constexpr detail::refused operator/(tensor<T, E...> const&, B const&) {
    return detail::outside_a_function<tensor<T, E...>, B>();
}
template <class T, auto... E>
    requires(sizeof...(E) > 0)
constexpr detail::refused operator/(double, tensor<T, E...> const&) {
    return detail::outside_a_function<tensor<T, E...>>();
}
template <class T, auto... E>
    requires(sizeof...(E) > 0)
constexpr detail::refused operator-(tensor<T, E...> const&) { return detail::outside_a_function<tensor<T, E...>>(); }

constexpr detail::refused exp(detail::array_outside) { return {}; }
constexpr detail::refused log(detail::array_outside) { return {}; }
constexpr detail::refused sqrt(detail::array_outside) { return {}; }
constexpr detail::refused sin(detail::array_outside) { return {}; }
constexpr detail::refused cos(detail::array_outside) { return {}; }
constexpr detail::refused tanh(detail::array_outside) { return {}; }
constexpr detail::refused abs(detail::array_outside) { return {}; }
constexpr detail::refused square(detail::array_outside) { return {}; }
constexpr detail::refused relu(detail::array_outside) { return {}; }
constexpr detail::refused sigmoid(detail::array_outside) { return {}; }
constexpr detail::refused transpose(detail::array_outside) { return {}; }
template <int... Axis>
constexpr detail::refused sum(detail::array_outside) {
    return {};
}
template <int... Axis>
constexpr detail::refused mean(detail::array_outside) {
    return {};
}
template <int... Axis>
constexpr detail::refused max(detail::array_outside) {
    return {};
}
template <int... Axis>
constexpr detail::refused min(detail::array_outside) {
    return {};
}
template <int... Axis>
constexpr detail::refused softmax(detail::array_outside) {
    return {};
}
template <class A, class B>
    requires(std::same_as<A, detail::refused> || std::same_as<B, detail::refused>)
constexpr detail::refused matmul(A const&, B const&) {
    return {};
}
template <class A, class B>
    requires(std::same_as<A, detail::refused> || std::same_as<B, detail::refused>)
constexpr detail::refused dot(A const&, B const&) {
    return {};
}
constexpr detail::refused matmul(detail::array_outside, detail::array_outside) { return {}; }
constexpr detail::refused maximum(detail::array_outside, detail::array_outside) { return {}; }
constexpr detail::refused minimum(detail::array_outside, detail::array_outside) { return {}; }

}  // namespace tapeless
