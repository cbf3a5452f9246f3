// SPDX-License-Identifier: MIT
#pragma once
// Expressions: what operators on symbols return. Children are held by value, so `auto e = x + f(y);` is always safe.

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tapeless/array/expression_base.hpp>
#include <tapeless/base/number_functions.hpp>
#include <tapeless/ir/builder.hpp>
#include <tapeless/ir/elements.hpp>
#include <tapeless/ir/refusals.hpp>

namespace tapeless {

namespace detail::inline ops_part {
/// The table of operation Op for these element types; defined beside the operations.
template <class Op, class... T>
struct operation_table;
constexpr int emit_leading_axes(builder& b, int x, int rank);
constexpr int emit_expand(builder& b, int x, dims const& to);
}  // namespace detail::ops_part

namespace detail::inline ir_part {
/// What moves elements, and asks nothing of them but their type.
template <class Op>
concept moves_elements =
    Op::kind == node_kind::view || Op::kind == node_kind::padded || Op::kind == node_kind::put ||
    requires { requires Op::same_value; } || requires { requires Op::of_any_type; };
/// One table for elements of all types where they are only moved: that for float, since those have cotangents.
template <class Op, class... T>
using table_of = operation_table<Op, std::conditional_t<moves_elements<Op>, float, T>...>;
}  // namespace detail::ir_part

/// A value of the graph whose shape only the graph knows: what derivative rules are written on.
template <class T>
struct node_ref : symbolic<T> {
    using value_type = T;
    detail::builder* graph = nullptr;
    int id = -1;
    constexpr node_ref() = default;
    constexpr node_ref(detail::builder* g, int i) : graph(g), id(i) {}
    constexpr detail::builder* where() const { return graph; }
    constexpr int walk(detail::builder&) const { return id; }
};

/// A number in an expression; it has the element type of what it met.
template <class T>
struct literal : symbolic<T> {
    using value_type = T;
    using shape_type = shape<>;
    static constexpr int rank = 0;
    std::uint64_t bits;  // a lone double in a derived struct makes g++ note a change of its calling convention
    constexpr explicit literal(double v) : bits(std::bit_cast<std::uint64_t>(v)) {}
    constexpr detail::builder* where() const { return nullptr; }
    constexpr int walk(detail::builder& b) const {
        return b.constant(std::bit_cast<double>(bits), detail::dtype_of<T>());
    }
};

namespace detail::inline ir_part {
template <class E>
inline constexpr bool is_node_ref = false;
template <class T>
inline constexpr bool is_node_ref<node_ref<T>> = true;

template <int I, class E>
struct operand {
    E value;
};
template <class Indices, class... A>
struct operands;
template <int... I, class... A>
struct operands<std::integer_sequence<int, I...>, A...> : operand<I, A>... {
    constexpr explicit operands(A const&... a) : operand<I, A>{a}... {}
};
template <int I, class E>
constexpr E const& get(operand<I, E> const& o) {
    return o.value;
}

/// In what has been refused: an expression where one has to be, and none is.
struct in_place_of_another {};

/// Called where a symbol is used that nothing was assigned to; where a symbol is computed from numbers alone, and not
/// by arithmetic: not constant expressions, so the compiler names them.
inline void symbol_without_a_value_start_with_let() {}
inline void function_of_numbers_alone_in_a_symbol_write_it_of_double() {}
/// The same where a number in an expression would become another one (hand it in as an argument).
inline void integer_that_the_elements_beside_it_or_double_cannot_hold() {}

/// Numbers that can be elements of type T: masks are made by comparing.
template <class Number, class T>
concept number_for =
    std::is_arithmetic_v<Number> && !std::same_as<Number, bool> && !std::same_as<T, bool>;
/// A number as an element of type T, of which constants of a graph are made.
template <class T, class Number>
constexpr std::uint64_t bits_of_number(Number x) {
    T const v = static_cast<T>(x);
    if constexpr (std::integral<Number> && std::integral<T>)
        if (!std::in_range<T>(x) || static_cast<T>(static_cast<double>(v)) != v)
            integer_that_the_elements_beside_it_or_double_cannot_hold();
    return std::bit_cast<std::uint64_t>(static_cast<double>(v));
}
/// The value of an expression of numbers alone, of which no graph knows.
template <class X>
constexpr std::uint64_t bits_of_numbers(X const& x) {
    builder alone;
    int const id = x.walk(alone);
    if (!alone.is_constant(id)) function_of_numbers_alone_in_a_symbol_write_it_of_double();
    return std::bit_cast<std::uint64_t>(alone.nodes[id].attr.value());
}
}  // namespace detail::ir_part

/// What a traced function sees in place of an array: element type, extents, and its place in the graph. In place of an
/// array of half or bfloat16 that is an array of float, and of integers in place of shorter ones. Any expression of
/// that element type and shape becomes one, so std::array<symbol<double>, 3> holds results of different operations.
/// Numbers do too, by default 0, of which no graph knows until they meet something else.
template <class T, auto... E>
struct symbol : symbolic<detail::computed<T>>, detail::with_elements<symbol<T, E...>> {
    using value_type = detail::computed<T>;
    using shape_type = canonical_shape<E...>;
    static constexpr int rank = static_cast<int>(sizeof...(E));
    detail::builder* graph = nullptr;
    int id = -1;
    std::uint64_t bits = 0;  ///< the number, where there is no graph
    constexpr symbol() = default;
    constexpr symbol(symbol const&) = default;
    constexpr explicit symbol(detail::in_place_of_another) : id(stands_for_any) {}
    constexpr symbol(detail::builder* g, int i) : graph(g), id(i) {
        if (g) g->knows<detail::computed<T>>();
    }
    /// symbol<half, ...> and symbol<float, ...> are one thing.
    template <class U>
        requires(!std::same_as<T, U> && std::same_as<detail::computed<T>, detail::computed<U>>)
    constexpr symbol(symbol<U, E...> const& other) : graph(other.graph), id(other.id), bits(other.bits) {}
    /// let of an expression of this element type and shape.
    template <any_expression X>
    constexpr symbol(X const& x) {
        if constexpr (!is_alike<X>) refuse(because<unlike<X>>{});
        else if (graph = x.where(); graph) id = detail::emit_leading_axes(*graph, x.walk(*graph), rank);
        else bits = detail::bits_of_numbers(x);
    }
    template <class Number>
        requires(shape_type::is_static && detail::number_for<Number, value_type>)
    constexpr symbol(Number x) : bits(detail::bits_of_number<value_type>(x)) {}
    /// s = s * k, s = 1.0.
    constexpr symbol& operator=(symbol const&) & = default;
    template <any_expression X>
    constexpr symbol& operator=(X const& x) & {
        if constexpr (is_alike<X>) *this = symbol(x);
        else refuse(because<unlike<X>>{});
        return *this;
    }
    template <class Number>
        requires detail::number_for<Number, value_type>
    constexpr symbol& operator=(Number x) & {
        bits = detail::bits_of_number<value_type>(x);
        if (graph) id = emit_number(*graph, detail::dims(graph->shape_of(id)));
        return *this;
    }
    constexpr symbol& operator+=(auto const& x) & { return *this = value() + x; }
    constexpr symbol& operator-=(auto const& x) & { return *this = value() - x; }
    constexpr symbol& operator*=(auto const& x) & { return *this = value() * x; }
    constexpr symbol& operator/=(auto const& x) & { return *this = value() / x; }
    /// x[i] = e would be lost.
    constexpr symbol& operator=(auto const&) && { return refuse_element(); }
    constexpr symbol& operator+=(auto const&) && { return refuse_element(); }
    constexpr symbol& operator-=(auto const&) && { return refuse_element(); }
    constexpr symbol& operator*=(auto const&) && { return refuse_element(); }
    constexpr symbol& operator/=(auto const&) && { return refuse_element(); }
    constexpr detail::builder* where() const { return graph; }
    constexpr int walk(detail::builder& b) const {
        if (graph) return id;
        if constexpr (shape_type::is_static) return emit_number(b, detail::dims_of_constants<shape_type>());
        else return id == stands_for_any ? b.argument_of(detail::dtype_of<value_type>(), rank) : find_value();
    }

private:
    static constexpr int stands_for_any = -2;
    constexpr int find_value() const {
        if (!graph) detail::symbol_without_a_value_start_with_let();
        return id;
    }
    constexpr symbol const& value() const {
        if (!shape_type::is_static && !graph) detail::symbol_without_a_value_start_with_let();
        return *this;
    }
    template <class X>
    static constexpr bool is_alike =
        std::same_as<typename X::value_type, value_type> && std::same_as<typename X::shape_type, shape_type>;
    template <class X>
    using unlike =
        assignment_changes_shape_or_element_type<symbol, typename X::value_type, typename X::shape_type>;
    constexpr int emit_number(detail::builder& b, detail::dims const& shape) const {
        int const number = b.constant(std::bit_cast<double>(bits), detail::dtype_of<value_type>());
        return rank == 0 ? number : detail::emit_expand(b, number, shape);
    }
    constexpr symbol& refuse_element() {
        refuse(because<assignment_to_an_element<symbol>>{});
        return *this;
    }
};

namespace detail::inline ir_part {
/// The node of an operand, with the axes that its type has. What turned out to be a number (0 * x), or is computed with
/// one, has lost leading axes of extent 1; Op may count by them.
template <class Op, class A>
constexpr int walk_operand(builder& b, A const& a) {
    int const id = a.walk(b);
    if constexpr (Op::kind != node_kind::elementwise && requires { typename A::shape_type; }) {
        constexpr int rank = A::shape_type::rank;
        if (rank > 0 && b.shape_of(id).rank < rank) return emit_leading_axes(b, id, rank);
    }
    return id;
}

template <class E>
constexpr E made_of_nothing() {
    if constexpr (std::is_constructible_v<E, in_place_of_another>) return E(in_place_of_another{});
    else if constexpr (std::is_default_constructible_v<E>) return E();
    else return E(0.0);
}

/// The symbol of this element type and shape.
template <class T, class Shape>
struct symbol_with;
template <class T, auto... E>
struct symbol_with<T, shape<E...>> {
    using type = symbol<T, E...>;
};
}  // namespace detail::ir_part

/// An operation on operands: a node type that carries its operation, element type and shape.
template <class Op, class T, class Shape, class... A>
struct expr : symbolic<T>, detail::with_elements<expr<Op, T, Shape, A...>> {
    using operation_type = Op;
    using value_type = T;
    using shape_type = Shape;
    static constexpr int rank = Shape::rank;

    detail::attribute attr;
    detail::operands<std::make_integer_sequence<int, static_cast<int>(sizeof...(A))>, A...> args;

    constexpr explicit expr(detail::attribute at, A const&... a) : attr(at), args(a...) {}
    /// For compilers only: with these neither becomes the other in x > 0.0 ? 2.0 * x : 0.0, so that the condition is
    /// what is refused; and decltype(x * x) y = x + x is refused by name.
    expr(double);
    template <class O, class U, class S, class... B>
    constexpr expr(expr<O, U, S, B...> const&) : expr(detail::in_place_of_another{}) {
        refuse(because<expression_becomes_another<T>>{});
    }
    constexpr explicit expr(detail::in_place_of_another) : attr{}, args(detail::made_of_nothing<A>()...) {}
    template <class X>
    constexpr expr& operator=(X const&) {
        refuse(because<assignment_to_an_expression<T>>{});
        return *this;
    }

    constexpr detail::builder* where() const {
        return [this]<int... I>(std::integer_sequence<int, I...>) {
            detail::builder* b = nullptr;
            ((b = b ? b : detail::get<I>(args).where()), ...);
            return b;
        }(std::make_integer_sequence<int, static_cast<int>(sizeof...(A))>{});
    }
    constexpr int walk(detail::builder& b) const {
        b.knows<value_type>();
        return [&]<int... I>(std::integer_sequence<int, I...>) {
            return detail::table_of<Op, typename A::value_type...>::emit(
                b, attr, {detail::walk_operand<Op>(b, detail::get<I>(args))...});
        }(std::make_integer_sequence<int, static_cast<int>(sizeof...(A))>{});
    }
};

}  // namespace tapeless
