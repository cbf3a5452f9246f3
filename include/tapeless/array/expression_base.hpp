// SPDX-License-Identifier: MIT
#pragma once
// What stands for an array inside a traced function, told apart from arrays.

#include <concepts>
#include <type_traits>

#include <tapeless/base/refuse.hpp>

namespace tapeless {

/// Base of everything that stands for an array inside a traced function; here, so that functions are found by ADL.
struct expression_base {};

/// What the library's own functions of one operand take. It asks for less than `expression`: a function of the same
/// name that a user writes on expressions is the better match, and a name added to the library breaks nobody's code.
template <class E>
concept any_expression = std::derived_from<std::remove_cvref_t<E>, expression_base>;

/// Anything that stands for an array inside a traced function.
template <class E>
concept expression = any_expression<E> && true;

}  // namespace tapeless
