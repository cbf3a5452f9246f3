// SPDX-License-Identifier: MIT
#pragma once
// What transformations are applied to: a function, or what another transformation made of one.

#include <type_traits>

namespace tapeless::detail::inline base_part {

/// F itself; of a transformation, which owns a workspace, the function that it stands for inside a traced function.
template <class F>
struct plain_function_of {
    using type = F;
};
template <class F>
    requires requires { typename F::function; }
struct plain_function_of<F> {
    using type = typename F::function;
};
template <class F>
using plain_function = typename plain_function_of<F>::type;

/// f as what may be called inside a traced function.
template <class F>
constexpr plain_function<F> as_plain(F const& f) {
    if constexpr (std::is_same_v<plain_function<F>, F>) return f;
    else return {};
}

}  // namespace tapeless::detail::base_part
