// SPDX-License-Identifier: MIT
#pragma once
// evaluate, grad and value_and_grad: a function in, a function out.

#include <tapeless/base/plain_function.hpp>
#include <tapeless/transform/transformed.hpp>

namespace tapeless {
namespace detail::inline transform_part {

template <wanted W, class F, int... I>
constexpr auto transform(std::integer_sequence<int, I...>) {
    if constexpr (sizeof...(I) == 0) return transformed<plain_function<F>, W, 0>{};
    else return transformed<plain_function<F>, W, I...>{};
}

}  // namespace detail::transform_part

/// The gradient of f by its arguments I... (by default the first): one array, or a tuple of them. f returns a scalar;
/// of several results the first is differentiated and the others are left out.
template <int... I, class F>
constexpr auto grad(F const&) {
    return detail::transform<detail::wanted::gradients, F>(std::integer_sequence<int, I...>{});
}

/// f and its gradients in one pass: { value, grad }. Where f returns several results, the first is differentiated and
/// all of them are in the value.
template <int... I, class F>
constexpr auto value_and_grad(F const&) {
    return detail::transform<detail::wanted::both, F>(std::integer_sequence<int, I...>{});
}

/// Refuses grad(f, x).
template <class F, class... A>
struct grad_of_a_function_is_a_function {
    static_assert(never<F>,
                  "grad(f) and value_and_grad(f) are functions: auto g = ad::grad(f)(x, y); the arguments by "
                  "which f is differentiated are numbers: ad::grad<0, 1>(f)");
};
template <int... I, class F, class... A>
    requires(sizeof...(A) > 0)
constexpr detail::refused grad(F const&, A const&...) {
    return refuse(because<grad_of_a_function_is_a_function<F, A...>>{}), detail::refused{};
}
template <int... I, class F, class... A>
    requires(sizeof...(A) > 0)
constexpr detail::refused value_and_grad(F const&, A const&...) {
    return refuse(because<grad_of_a_function_is_a_function<F, A...>>{}), detail::refused{};
}

/// f as fused loops, keeping its workspace between calls. Several results (in a tuple, pair, array or aggregate) come
/// back as a tuple.
template <class F>
constexpr auto fused(F const&) {
    return detail::transformed<detail::plain_function<F>, detail::wanted::value>{};
}

/// f(args...) by fused loops.
template <class F, class... A>
constexpr auto evaluate(F const& f, A const&... a) {
    // asked here, where one frame less stands before the user's line
    if constexpr (((detail::holds_expressions<A>() || detail::is_into<A> || detail::is_add_into<A>) || ...))
        return fused(f)(a...);
    else if constexpr (!accepts(decltype(fused(f))::allowed::template why_not_called<A...>()))
        return detail::refused{};
    else return fused(f)(a...);
}

}  // namespace tapeless
