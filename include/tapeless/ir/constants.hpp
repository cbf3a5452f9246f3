// SPDX-License-Identifier: MIT
#pragma once
// A tensor of static extents in an expression: a constant of the program, which has the element type of what it meets.

#include <concepts>
#include <cstdint>

#include <tapeless/array/tensor.hpp>
#include <tapeless/ir/expression.hpp>

namespace tapeless {

/// The most elements of a tensor in an expression.
inline constexpr std::int64_t most_constants = 4096;

/// Refuses a tensor in an expression whose elements only run time knows.
template <class Tensor>
struct tensor_in_an_expression_has_run_time_extents {
    static_assert(never<Tensor>,
                  "a tensor in an expression is a constant, made while compiling: its extents are numbers. An "
                  "array that run time fills is an argument of the function");
};
/// Refuses to make a large array a part of the program.
template <class Tensor, std::int64_t Elements>
struct tensor_in_an_expression_is_too_large {
    static_assert(never<Tensor>,
                  "a tensor in an expression is a constant of at most 4096 elements: hand a larger array in as "
                  "an argument");
};

namespace detail::inline ir_part {

/// A tensor where an expression is wanted.
template <class A>
concept constant_tensor = is_tensor<std::remove_cvref_t<A>>;

/// A constant array as a node with elements of type T.
template <class T, class A>
constexpr int emit_table(builder& b, A const& a) {
    int const n = static_cast<int>(a.size());
    list<double> numbers;
    bool alike = true;
    for (int i = 0; i < n; ++i) {
        double const v = static_cast<double>(a.data()[i]);
        numbers.push(std::same_as<T, float> ? static_cast<double>(static_cast<float>(v)) : v);
        alike = alike && std::bit_cast<std::uint64_t>(v) == std::bit_cast<std::uint64_t>(numbers.items[0]);
    }
    dims const d = dims_of_constants<typename A::shape_type>();
    if (alike && !std::same_as<T, bool>)
        return emit_expand(b, b.constant(n > 0 ? numbers.items[0] : 0, dtype_of<T>()), d);
    return b.table(numbers.items, b.intern(d), dtype_of<T>());
}

/// Why a tensor cannot be a part of the program.
template <class A>
constexpr auto why_no_constant() {
    if constexpr (!constant_tensor<A>) return because<no_reason>{};
    else if constexpr (!A::shape_type::is_static) return because<tensor_in_an_expression_has_run_time_extents<A>>{};
    else if constexpr (A::shape_type::static_size() > most_constants)
        return because<tensor_in_an_expression_is_too_large<A, A::shape_type::static_size()>>{};
    else return because<no_reason>{};
}

/// What stands for a constant array in graph b, with elements of type T; anything else as it is. (One number in the
/// place of what is refused.)
template <class T, class A>
constexpr auto in_graph(builder& b, A const& a) {
    if constexpr (!constant_tensor<A>) {
        return a;
    } else {
        using S = typename A::shape_type;
        if constexpr (!S::is_static) return symbol<T>(&b, b.constant(0, dtype_of<T>()));
        else if constexpr (S::static_size() > most_constants) return symbol<T>(&b, b.constant(0, dtype_of<T>()));
        else return typename symbol_with<T, S>::type(&b, emit_table<T>(b, a));
    }
}

}  // namespace detail::ir_part
}  // namespace tapeless
