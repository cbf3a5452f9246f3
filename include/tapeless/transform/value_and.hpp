// SPDX-License-Identifier: MIT
#pragma once
// The value of a function together with its derivative, as they are returned.

#include <tuple>
#include <utility>

namespace tapeless {

/// What value_and_grad and vjp return: auto [value, grad] = ...
template <class V, class G>
struct value_and_gradient {
    V value;
    G grad;
};

/// What jvp returns: auto [value, tangent] = ...
template <class V, class T>
struct value_and_tangent {
    V value;
    T tangent;
};

namespace detail::inline transform_part {

template <class... T>
struct first_of {
    using type = void;
};
template <class Head, class... Tail>
struct first_of<Head, Tail...> {
    using type = Head;
};

/// One gradient as it is, several as a tuple.
template <class... G>
constexpr auto one_or_all(std::tuple<G...>&& t) {
    if constexpr (sizeof...(G) == 1) return std::get<0>(std::move(t));
    else return std::move(t);
}

}  // namespace detail::transform_part
}  // namespace tapeless
