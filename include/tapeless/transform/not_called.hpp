// SPDX-License-Identifier: MIT
#pragma once
// What is done with grad(f), or with what a call returned, as if it were an array or a number: refused.

#include <tapeless/array/not_printed.hpp>
#include <tapeless/base/refuse.hpp>
#include <tapeless/base/refused.hpp>
#include <tapeless/transform/value_and.hpp>

namespace tapeless {

/// Refuses double v = ad::grad(f), ad::grad(f)[0], 2.0 * ad::grad(f), std::cout << ad::grad(f).
template <class Function>
struct function_is_not_called {
    static_assert(never<Function>,
                  "grad(f), value_and_grad(f) and the like are functions: call them, auto g = ad::grad(f)(x), and use "
                  "what the call returns");
};
/// Refuses std::cout << ad::value_and_grad(f)(x).
template <class Pair>
struct value_and_derivative_are_two {
    static_assert(never<Pair>,
                  "the value and the derivative are two: auto [value, grad] = ad::value_and_grad(f)(x), or .value and "
                  ".grad (of jvp .tangent) of what the call returns");
};

namespace detail::inline transform_part {

/// Compilers name it where auto [value, grad] = ad::value_and_grad(f) takes a callable apart.
struct reminder {};

/// Base of callables.
template <class Function>
struct not_called {
    /// By which it has the operators of numbers, too. (Not a deleted one: nothing that is said would be the remedy.)
    constexpr operator double() const { return refuse(because<function_is_not_called<Function>>{}); }
    template <class Index>
    constexpr refused operator[](Index const&) const {
        return refuse(because<function_is_not_called<Function>>{}), refused{};
    }
};

}  // namespace detail::transform_part

template <detail::takes_text Stream, class Function>
Stream& operator<<(Stream& to, detail::not_called<Function> const&) {
    return refuse(because<function_is_not_called<Function>>{}), to;
}
template <detail::takes_text Stream, class V, class G>
Stream& operator<<(Stream& to, value_and_gradient<V, G> const&) {
    return refuse(because<value_and_derivative_are_two<value_and_gradient<V, G>>>{}), to;
}
template <detail::takes_text Stream, class V, class T>
Stream& operator<<(Stream& to, value_and_tangent<V, T> const&) {
    return refuse(because<value_and_derivative_are_two<value_and_tangent<V, T>>>{}), to;
}

}  // namespace tapeless
