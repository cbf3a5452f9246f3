// SPDX-License-Identifier: MIT
#pragma once
// Parameters of functions of arrays, as concepts.

#include <tapeless/ir/expression.hpp>

namespace tapeless {

/// A parameter of a function of arrays: a number, or an expression of rank 0.
template <class E>
concept parameter_like = number<E> || (expression<E> && requires { requires std::remove_cvref_t<E>::rank == 0; });
/// An array of parameters: an expression of rank 1 or more.
template <class E>
concept parameter_array = expression<E> && !parameter_like<E>;

}  // namespace tapeless
