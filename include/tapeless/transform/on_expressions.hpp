// SPDX-License-Identifier: MIT
#pragma once
// Calls of transformed functions on symbols.

#include <tapeless/transform/acceptance.hpp>
#include <tapeless/transform/nested.hpp>
#include <tapeless/transform/value_and.hpp>

namespace tapeless::detail::inline transform_part {

/// What a transformed function gives inside a traced one: part of its graph.
template <class F, wanted W, int... I, class... A>
constexpr auto on_expressions(A const&... a) {
    if constexpr (forms_its_result<F>) {
        return F::form(F{}(a...));
    } else if constexpr (W == wanted::value && requires { F::found(a...); }) {
        if constexpr (is_instead<decltype(F::found(a...))>) return F::found(a...);
        else return let_all(F::found(a...));
    } else if constexpr (!returns_something<F, A...>) {
        return std::get<0>(std::tie(a...));  // it was refused
    } else if constexpr (W == wanted::value) {
        return let_all(F{}(a...));
    } else if constexpr (!accepts(why_no_arguments<F, static_cast<int>(sizeof...(A)), I...>())) {
        return std::get<0>(std::tie(a...));  // it was refused
    } else if constexpr (!accepts(why_no_scalar_of<F, A...>())) {
        return std::get<0>(std::tie(a...));
    } else {
        auto r = nested_gradients<F, I...>(a...);
        if constexpr (W == wanted::gradients) return one_or_all(std::move(r.second));
        else {
            using G = decltype(one_or_all(std::move(r.second)));
            return value_and_gradient<decltype(r.first), G>{r.first, one_or_all(std::move(r.second))};
        }
    }
}

}  // namespace tapeless::detail::transform_part
