// SPDX-License-Identifier: MIT
#pragma once
// What an operation is: one struct with its name, its evaluation on numbers or batches, and its derivative rule.

#include <tapeless/ops/operands.hpp>

namespace tapeless {

/// Base of an operation on the values at one index. A derived struct brings
///   static auto eval(auto x...)                              on a number or a batch, and
///   static constexpr auto pullback(auto g, auto y, auto x...) returning cotangents(...) written as expressions.
/// Forward mode follows from the pullback. Where there is something better, the struct also brings
///   static constexpr auto pushforward(auto y, auto x..., auto t...)
/// returning the tangent of y where the operands have the tangents t (0 for an operand that does not move).
template <fixed_string Name>
struct elementwise {
    static constexpr auto name = Name;
    static constexpr detail::node_kind kind = detail::node_kind::elementwise;
    static constexpr int cost = 2;
    static constexpr bool takes_masks = false;
    template <class... T>
    using result = typename detail::common_element<T...>::type;
    template <class Op, class... S>
    using result_shape = typename detail::broadcast_all<S...>::type;
};

/// Base of the comparisons: the result is a mask, and nothing flows back.
template <fixed_string Name>
struct comparison : elementwise<Name> {
    static constexpr int cost = 1;
    template <class... T>
    using result = bool;
};

/// Base of what is constant between jumps: nothing flows back.
template <fixed_string Name>
struct stepwise : elementwise<Name> {
    static constexpr bool differentiable = false;
};

namespace detail::inline ops_part {
/// The operations that an expression's type holds.
template <class E>
inline constexpr int operations_in = 0;
template <class Op, class T, class Shape, class... A>
inline constexpr int operations_in<expr<Op, T, Shape, A...>> = (1 + ... + operations_in<A>);
inline constexpr int most_operations = 4096;
inline constexpr int too_many_operations = 1 << 20;  ///< what stands for a refused expression counts

template <class Head, class... Tail>
constexpr auto first_expression(Head const& a, Tail const&... rest) {
    if constexpr (expression<Head>) return a;
    else return first_expression(rest...);
}
}  // namespace detail::ops_part

/// Stands for an expression of too many operations; refused where it is used.
template <class Op, int Operations, class T, class Shape>
struct expression_is_too_large_or_a_recursion_has_no_end_name_parts_with_let : expr<Op, T, Shape> {
    using expr<Op, T, Shape>::expr;
    constexpr int walk(detail::builder&) const {
        refuse(because<expression_is_too_large_or_a_recursion_has_no_end<Op, Operations>>{});
        return -1;
    }
};
namespace detail::inline ops_part {
template <class Op, int Operations, class T, class Shape>
inline constexpr int
    operations_in<expression_is_too_large_or_a_recursion_has_no_end_name_parts_with_let<Op, Operations, T, Shape>> =
        too_many_operations;
}  // namespace detail::ops_part

namespace detail::inline ops_part {
/// The expression node of type Op, for operands that have been accepted.
template <class Op, class... A>
    requires((expression<A> || ...) && !(is_node_ref<A> || ...) &&
             ((expression<A> || number<A> || constant_tensor<A>)&&...))
constexpr auto append(attribute at, A const&... a) {
    using C = common_for<Op, A...>;
    if constexpr ((constant_tensor<A> || ...)) {
        return append<Op>(at, in_graph_beside<C>(a, a...)...);
    } else if constexpr ((operations_in<A> + ...) > most_operations) {
        constexpr int operations = (operations_in<A> + ...);
#if defined(__clang__)  // whose own error follows, that a function calls itself before its type is known: it names this
        using E = decltype(first_expression(a...));
        return expression_is_too_large_or_a_recursion_has_no_end_name_parts_with_let<
            Op, operations, typename E::value_type, typename E::shape_type>(at);
#else
        refuse(because<expression_is_too_large_or_a_recursion_has_no_end<Op, operations>>{});
        return first_expression(a...);
#endif
    } else {
        using R = typename result_element<Op, C, A...>::type;
        using S = typename Op::template result_shape<Op, typename decltype(as_operand<C, Op>(a))::shape_type...>;
        return expr<Op, R, S, decltype(as_operand<C, Op>(a))...>(at, as_operand<C, Op>(a)...);
    }
}
/// In a derivative rule the operation is appended to the graph at once; this says of which type it is. (It is spelled
/// out: rules use the operations whose rules they are.)
template <class Op, class... A>
    requires(is_node_ref<A> || ...)
node_ref<typename result_element<Op, common_of<A...>, A...>::type> append(attribute, A const&...);

/// Whether operands are of the type C or take it: there is nothing to refuse.
template <class C, class... A>
concept all_of_type = ((std::same_as<operand_element<A>, C> || std::same_as<operand_element<A>, no_element>)&&...);

/// What apply<Op>(a...) returns. Functions name it instead of `auto`: the rule of an operation may then use functions
/// that are built on the operation itself.
template <class Op, class... A>
using applied = decltype(append<Op>(attribute{}, std::declval<A const&>()...));
}  // namespace detail::ops_part

/// Applies an operation to expressions and numbers: the expression node of type Op.
template <class Op, class... A>
    requires((expression<A> || ...) && !(detail::is_node_ref<A> || ...))
constexpr detail::applied<Op, A...> apply_with(detail::attribute at, A const&... a) {
    using C = detail::common_for<Op, A...>;
    if constexpr (!detail::all_of_type<C, A...>) refuse(because<detail::elements_refused<Op, C, A...>>{});
    if constexpr (detail::has_integers<C> || (detail::constant_tensor<A> || ...))
        (refuse(detail::why_not_beside<C, A>()), ...);
    return detail::append<Op>(at, a...);
}
template <class Op, class... A>
    requires(detail::is_node_ref<A> || ...)
constexpr detail::applied<Op, A...> apply_with(detail::attribute at, A const&... a) {
    using C = detail::common_of<A...>;
    if constexpr (!detail::all_of_type<C, A...>) refuse(because<detail::elements_refused<Op, C, A...>>{});
    if constexpr (detail::has_integers<C>) (refuse(detail::why_not_beside<C, A>()), ...);
    detail::builder* b = nullptr;
    ((b = b ? b : detail::graph_of(a)), ...);
    if constexpr ((detail::constant_tensor<A> || ...))
        return apply_with<Op>(at, detail::in_graph_beside<C>(a, a...)...);
    using table = detail::table_of<Op, typename decltype(detail::as_operand<C>(a))::value_type...>;
    return {b, table::emit(*b, at, {detail::as_operand<C>(a).walk(*b)...})};
}

namespace detail::inline ops_part {
/// An operation whose result shape is known to the caller.
template <class Op, class Shape, class A>
constexpr auto apply_shaped(attribute at, A const& a) {
    if constexpr (is_node_ref<A>) return apply_with<Op>(at, a);
    else if constexpr (storage_only<typename A::value_type>) return apply_shaped<Op, Shape>(at, widened(a));
    else if constexpr (Op::kind == node_kind::reduce && std::same_as<typename A::value_type, bool> &&
                       !requires { requires Op::takes_masks; }) {
        if constexpr (Op::combine != combination::sum) refuse(because<mask_is_not_a_number<Op>>{});
        // a sum counts what is set
        return apply_shaped<Op, Shape>(at, apply_with<cast_op<std::int64_t>>(attribute{}, a));
    } else return expr<Op, typename Op::template result<typename A::value_type>, Shape, A>(at, a);
}
}  // namespace detail::ops_part

/// Applies an operation: `apply<softsign_op>(x)`.
template <class Op, class... A>
    requires(expression<A> || ...)
constexpr detail::applied<Op, A...> apply(A const&... a) {
    if constexpr ((detail::is_node_ref<A> || ...)) {
        return apply_with<Op>(detail::attribute{}, a...);
    } else {  // here, where the user's own line is the next but one in the compiler's report
        using C = detail::common_for<Op, A...>;
        if constexpr (!detail::all_of_type<C, A...>) refuse(because<detail::elements_refused<Op, C, A...>>{});
        if constexpr (detail::has_integers<C> || (detail::constant_tensor<A> || ...))
            (refuse(detail::why_not_beside<C, A>()), ...);
        if constexpr (Op::kind == detail::node_kind::elementwise)
            refuse(because<typename detail::check_broadcast<Op, detail::operand_shape<A>...>::reason>{});
        return detail::append<Op>(detail::attribute{}, a...);
    }
}

}  // namespace tapeless
