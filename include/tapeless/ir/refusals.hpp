// SPDX-License-Identifier: MIT
#pragma once
// What cannot be done with what stands for an array, though it can with an array or a number; and what to do instead.

#include <concepts>

#include <tapeless/array/expression_base.hpp>

namespace tapeless {

template <class T, auto... E>
struct symbol;

/// Refuses if, while, ?: and the like.
template <class Element>
struct symbol_in_a_condition {
    static_assert(never<Element>,
                  "if, while or ?: on a symbol: the function is traced once, for all values. Choose with "
                  "where(mask, a, b), or run one of two functions with cond(mask, f, g, args...); for "
                  "std::max and std::min write maximum(a, b) and minimum(a, b)");
};
/// Refuses std::exp(x), double y = x, std::cout << x, and parameters that are numbers.
template <class Element>
struct symbol_is_no_number {
    static_assert(
        never<Element>,
        "a symbol where a number is needed: it has no value while the function is traced. Before a mathematical "
        "function leave out std:: (exp(x), and abs for fabs, maximum for std::max); parameters and variables are auto, "
        "containers std::array<ad::symbol<double>, 3>");
};
/// Refuses operators that are of integers, bits or pointers.
template <class... Operands>
struct operator_is_not_of_arrays {
    static_assert(
        never<Operands...>,
        "arrays have the operators + - * / < <= > >= == !=, masks && || !. For ^ write pow(x, n) or square(x), for % "
        "fmod(a, b) or remainder(a, b), for << and >> products, for & and | of masks && and ||, for ++ s += 1.0 of "
        "auto s = ad::let(x)");
};
/// Refuses to go through the elements.
template <class Element>
struct symbol_is_no_container {
    static_assert(
        never<Element>,
        "a symbol is no container: take elements and slices with select and narrow, and in place of the loop use "
        "ad::vmap(f) for each row, ad::scan or ad::fold(step, start, x) for what goes from one to the next");
};
/// Refuses decltype(x * x) y = x + x, and two returns of different expressions.
template <class Element>
struct expression_becomes_another {
    static_assert(never<Element>, "an expression is what it was written as: declare it auto, return one expression "
                                  "(where(mask, a, b) chooses), or keep it by let(...)");
};
/// Refuses s = s * k and s += k.
template <class Element>
struct assignment_to_an_expression {
    static_assert(
        never<Element>,
        "an expression of another type is assigned: every expression has a type of its own. Start with auto s = "
        "ad::let(x), a symbol, to which any expression of its element type and shape can be assigned");
};
/// Refuses double s = 0; s += x[0].
template <class Number, class Element>
struct symbol_is_added_to_a_number {
    static_assert(never<Number>,
                  "s += x, s a number: a symbol has no value while the function is traced, and a number does not "
                  "become one. Start with a symbol: ad::symbol<double> s = 0.0, or take sum(x)");
};
/// Refuses x[0] = e.
template <class Symbol>
struct assignment_to_an_element {
    static_assert(
        never<Symbol>,
        "x[i] = ...: arrays in a function do not change, and an element is a value. Make a new array, with "
        "stack(a, b, ...), concat, where(mask, a, x) or index_add<axis>(x, index, source); give a value that changes a "
        "name: auto s = ad::let(x[i])");
};
/// Refuses expressions whose type alone would keep the compiler busy: most often a recursion without end.
template <class Op, int Operations>
struct expression_is_too_large_or_a_recursion_has_no_end {
    static_assert(Operations == 0,
                  "more than 4096 operations in one expression: a recursion that does not end? Otherwise name its "
                  "parts with ad::let(...), which has one type however the value was made");
};
/// Refuses an assignment to a symbol of another shape or element type.
template <class Symbol, class Element, class Shape>
struct assignment_changes_shape_or_element_type {
    static_assert(never<Symbol>,
                  "a symbol keeps its element type and shape: expand what it starts with, ad::let(expand<...>(x)), "
                  "or cast<T>(...) what is assigned, or give the result a name of its own");
};

/// Base of expressions with elements T.
template <class T>
struct symbolic : expression_base {
    constexpr explicit operator bool() const { return refuse(because<symbol_in_a_condition<T>>{}); }
    /// To double alone: of several overloads for numbers one is best.
    template <std::same_as<double> Number>
    constexpr operator Number() const {
        return refuse(because<symbol_is_no_number<T>>{});
    }
    constexpr auto begin() const {  // `auto`: what is wrong is found out where it is called, not at the end
        refuse(because<symbol_is_no_container<T>>{});
        return static_cast<symbol<T> const*>(nullptr);
    }
    constexpr symbol<T> const* end() const { return nullptr; }
    constexpr symbolic& operator+=(auto const&) { return refuse_assignment(); }
    constexpr symbolic& operator-=(auto const&) { return refuse_assignment(); }
    constexpr symbolic& operator*=(auto const&) { return refuse_assignment(); }
    constexpr symbolic& operator/=(auto const&) { return refuse_assignment(); }

private:
    constexpr symbolic& refuse_assignment() {
        refuse(because<assignment_to_an_expression<T>>{});
        return *this;
    }
};

namespace detail::inline ir_part {
template <class A, class B>
concept either_expression = any_expression<A> ||(any_expression<B>&& std::is_arithmetic_v<A>);
template <class A, class B>
constexpr auto expression_of(A const& a, B const& b) {
    if constexpr (any_expression<A>) return a;
    else return b;
}
}  // namespace detail::ir_part
template <class A, class B>
    requires detail::either_expression<A, B>
constexpr auto operator<<(A const& a, B const& b) {
    return refuse(because<operator_is_not_of_arrays<A, B>>{}), detail::expression_of(a, b);
}
template <class A, class B>
    requires detail::either_expression<A, B>
constexpr auto operator>>(A const& a, B const& b) {
    return refuse(because<operator_is_not_of_arrays<A, B>>{}), detail::expression_of(a, b);
}
template <class A, class B>
    requires detail::either_expression<A, B>
constexpr auto operator%(A const& a, B const& b) {
    return refuse(because<operator_is_not_of_arrays<A, B>>{}), detail::expression_of(a, b);
}
template <class A, class B>
    requires detail::either_expression<A, B>
constexpr auto operator^(A const& a, B const& b) {
    return refuse(because<operator_is_not_of_arrays<A, B>>{}), detail::expression_of(a, b);
}
template <class A, class B>
    requires detail::either_expression<A, B>
constexpr auto operator&(A const& a, B const& b) {
    return refuse(because<operator_is_not_of_arrays<A, B>>{}), detail::expression_of(a, b);
}
template <class A, class B>
    requires detail::either_expression<A, B>
constexpr auto operator|(A const& a, B const& b) {
    return refuse(because<operator_is_not_of_arrays<A, B>>{}), detail::expression_of(a, b);
}
template <any_expression A>
constexpr auto operator~(A const& a) {
    return refuse(because<operator_is_not_of_arrays<A>>{}), a;
}
template <any_expression A>
constexpr auto operator*(A const& a) {
    return refuse(because<operator_is_not_of_arrays<A>>{}), a;
}
template <any_expression A>
constexpr auto operator++(A const& a) {
    return refuse(because<operator_is_not_of_arrays<A>>{}), a;
}
template <any_expression A>
constexpr auto operator++(A const& a, int) {
    return refuse(because<operator_is_not_of_arrays<A>>{}), a;
}
template <any_expression A>
constexpr auto operator--(A const& a) {
    return refuse(because<operator_is_not_of_arrays<A>>{}), a;
}
template <any_expression A>
constexpr auto operator--(A const& a, int) {
    return refuse(because<operator_is_not_of_arrays<A>>{}), a;
}

template <class Number, any_expression E>
    requires std::is_arithmetic_v<Number>
constexpr Number& operator+=(Number& s, E const&) {
    return refuse(because<symbol_is_added_to_a_number<Number, typename E::value_type>>{}), s;
}
template <class Number, any_expression E>
    requires std::is_arithmetic_v<Number>
constexpr Number& operator-=(Number& s, E const&) {
    return refuse(because<symbol_is_added_to_a_number<Number, typename E::value_type>>{}), s;
}
template <class Number, any_expression E>
    requires std::is_arithmetic_v<Number>
constexpr Number& operator*=(Number& s, E const&) {
    return refuse(because<symbol_is_added_to_a_number<Number, typename E::value_type>>{}), s;
}
template <class Number, any_expression E>
    requires std::is_arithmetic_v<Number>
constexpr Number& operator/=(Number& s, E const&) {
    return refuse(because<symbol_is_added_to_a_number<Number, typename E::value_type>>{}), s;
}

}  // namespace tapeless
