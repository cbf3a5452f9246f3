// SPDX-License-Identifier: MIT
#pragma once
// What stands beside what in an operation: element types that agree, numbers and constant arrays that take the type of
// the others.

#include <tapeless/ir/constants.hpp>
#include <tapeless/ops/operation_table.hpp>

namespace tapeless {

struct not_equal_op;

/// Refuses operands of different element types.
template <class Op, class A, class B>
struct element_types_differ {
    static_assert(never<A>, "operands have different element types: convert one of them with cast<T>(...)");
};

/// Refuses a mask where numbers are computed with.
template <class Op>
struct mask_is_not_a_number {
    static_assert(never<Op>,
                  "a mask has no arithmetic: choose with where(mask, a, b), or make it numbers: cast<T>(mask)");
};
/// Refuses 0.5 * x where x holds integers.
template <class Integer>
struct fraction_beside_integers {
    static_assert(never<Integer>,
                  "a floating-point number beside integers: write 2 instead of 2.0, or cast<float>(x)");
};

namespace detail::inline ops_part {

struct no_element {};
template <class E>
struct operand_element_type {
    using type = no_element;  // a number takes the type of what it meets
};
template <expression E>
struct operand_element_type<E> {
    using type = computed<typename E::value_type>;
};
template <class E>
using operand_element = typename operand_element_type<E>::type;

template <class E>
struct operand_shape_type {
    using type = shape<>;
};
template <expression E>
struct operand_shape_type<E> {
    using type = typename E::shape_type;
};
template <constant_tensor E>
struct operand_shape_type<E> {
    using type = typename E::shape_type;
};
template <class E>
using operand_shape = typename operand_shape_type<E>::type;

/// The element type of the operands that are not masks.
template <class... T>
struct common_element {  // only masks and numbers
    using type = bool;
};
template <class Head, class... Tail>
struct common_element<Head, Tail...> {
    using type = Head;
};
template <class Head, class... Tail>
    requires(is_flag<Head> || std::same_as<Head, no_element>)
struct common_element<Head, Tail...> : common_element<Tail...> {};

/// Whole numbers beside floating-point arrays are converted: sum(x) / n with an integer n.
template <class E, class C>
inline constexpr bool is_integer_beside = false;
template <expression E, std::floating_point C>
    requires(!is_node_ref<E>)
inline constexpr bool is_integer_beside<E, C> =
    std::integral<typename E::value_type> && !is_flag<typename E::value_type> && E::rank == 0;

template <class Op, class T>
inline constexpr bool is_mask_among_numbers = is_flag<T> && requires { requires !Op::takes_masks; };

/// Why elements of type T cannot stand where Op computes in C.
template <class Op, class C, class T>
struct check_element {
    using reason = std::conditional_t<!std::same_as<T, no_element> && !is_flag<T> && !std::same_as<T, C>,
                                      element_types_differ<Op, C, T>,
                                      unless<!is_mask_among_numbers<Op, T>, mask_is_not_a_number<Op>>>;
};
/// The same of operands.
template <class Op, class C, class... A>
using elements_refused = typename first_reason<
    typename check_element<Op, C, std::conditional_t<is_integer_beside<A, C>, C, operand_element<A>>>::reason...>::type;

template <class T>
inline constexpr bool has_integers = std::integral<T> && !std::same_as<T, bool>;
/// Why a number or a constant array cannot stand beside elements of type T.
template <class T, class A>
constexpr auto why_not_beside() {
    if constexpr (number<A>)
        return because<unless<!has_integers<T> || std::integral<A>, fraction_beside_integers<T>>>{};
    else if constexpr (constant_tensor<A>) {
        using V = typename A::value_type;
        if constexpr (has_integers<T> && !std::integral<V>) return because<fraction_beside_integers<T>>{};
        else return why_no_constant<A>();
    } else return because<no_reason>{};
}

template <class E>
constexpr builder* graph_of(E const& e) {
    if constexpr (expression<E>) return e.where();
    else return nullptr;
}

/// A constant array in the graph of the others, with elements of type T; anything else as it is.
template <class T, class E, class... All>
constexpr auto in_graph_beside(E const& e, All const&... all) {
    if constexpr (constant_tensor<E>) {
        builder* b = nullptr;
        ((b = b ? b : graph_of(all)), ...);
        return in_graph<T>(*b, e);
    } else {
        return e;
    }
}

template <class To>
struct cast_op;

/// What is stored only, as what it is computed in.
template <class E>
constexpr auto widened(E const& e) {
    using T = typename E::value_type;
    using C = computed<T>;
    if constexpr (!storage_only<T>) return e;
    else if constexpr (is_node_ref<E>)
        return node_ref<C>(e.graph, operation_table<cast_op<C>, T>::emit(*e.graph, {}, {e.id}));
    else return expr<cast_op<C>, C, typename E::shape_type, E>(attribute{}, e);
}

/// Constants of a graph are kept as double: whether an integer that was computed so is itself, and one of type T.
template <class T>
constexpr bool is_exact(double v) {
    constexpr double whole = 9007199254740992.0;  // 2^53
    if constexpr (sizeof(T) == 4) return v >= -2147483648.0 && v <= 2147483647.0;
    else return v > -whole && v < whole;  // 2^53 may have been its neighbour
}
/// Whether integers of type T, and double, can hold this one.
template <class T>
constexpr bool can_hold(std::int64_t v) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    if (is_exact<T>(static_cast<double>(v))) return true;
    return sizeof(T) == 8 && v <= most && static_cast<std::int64_t>(static_cast<double>(v)) == v;
}

/// Numbers become literals of the element type T; expressions stay, but for those that are stored only. What Op
/// refuses becomes such as it takes, so that the refusal is all that is reported.
template <class T, class Op = void, class E>
constexpr auto as_operand(E const& e) {
    if constexpr (number<E>) {
        if constexpr (has_integers<T> && std::integral<E>)
            if (!can_hold<T>(static_cast<std::int64_t>(e))) integer_that_the_elements_beside_it_or_double_cannot_hold();
        return literal<T>(static_cast<double>(e));
    } else if constexpr (!is_node_ref<E> && !std::same_as<T, bool> &&
                         !std::same_as<computed<typename E::value_type>, T> &&
                         (!is_flag<typename E::value_type> || is_mask_among_numbers<Op, typename E::value_type>)) {
        return expr<cast_op<T>, T, typename E::shape_type, E>(attribute{}, e);
    } else if constexpr (!is_node_ref<E> && !is_flag<typename E::value_type> &&
                         requires { requires Op::takes_only_masks; }) {
        using U = typename E::value_type;
        return expr<not_equal_op, bool, typename E::shape_type, E, literal<U>>(attribute{}, e, literal<U>(0));
    } else {
        return widened(e);
    }
}

/// The element type of Op's result on these operands; a number has the type of what it meets.
template <class Op, class C, class... A>
struct result_element {
    using type = typename Op::template result<
        std::conditional_t<std::same_as<operand_element<A>, no_element> ||
                               is_mask_among_numbers<Op, operand_element<A>> || is_integer_beside<A, C>,
                           C, operand_element<A>>...>;
};
/// Where there are only masks and numbers beside them, constant arrays have their own element type.
template <class E>
struct own_element {
    using type = no_element;
};
template <constant_tensor E>
struct own_element<E> {
    using type = computed<typename E::value_type>;
};
/// An integer scalar has the type of what it meets, where that is floating-point.
template <class E>
struct array_element {
    using type = operand_element<E>;
};
template <expression E>
    requires(is_integer_beside<E, double>)
struct array_element<E> {
    using type = no_element;
};
template <class... A>
using common_of_arrays = typename common_element<typename array_element<A>::type...>::type;
template <class... A>
using common_of =
    std::conditional_t<std::floating_point<common_of_arrays<A...>>, common_of_arrays<A...>,
                       typename common_element<operand_element<A>..., typename own_element<A>::type...>::type>;
/// The same, float where Op refuses masks and there is nothing else.
template <class Op, class... A>
using common_for =
    std::conditional_t<std::same_as<common_of<A...>, bool> && (is_mask_among_numbers<Op, operand_element<A>> || ...),
                       float, common_of<A...>>;

/// At least one expression and one tensor, among whatever else a function takes.
template <class... A>
concept constants_among = (expression<A> || ...) && (constant_tensor<A> || ...);

/// What integers in a tensor are: indices, which stay integers, or numbers like the others.
enum class integers_are { indices, numbers };

/// The element type of a constant array beside elements of type T: theirs, but that masks and indices stay what they
/// are, and so do numbers beside indices.
template <class A, class T, integers_are Integers>
struct constant_element {
    using own = computed<typename A::value_type>;
    static constexpr bool stays =
        std::same_as<own, bool> || !std::floating_point<T> || (std::integral<own> && Integers == integers_are::indices);
    using type = std::conditional_t<stays, own, T>;
};
template <class T, integers_are Integers, class A, class... All>
constexpr auto as_constant_beside(A const& a, All const&... all) {
    if constexpr (constant_tensor<A>)
        return in_graph_beside<typename constant_element<A, T, Integers>::type>(a, all...);
    else return a;
}
/// f(a...), tensors in the graph of the expressions beside them.
template <integers_are Integers = integers_are::numbers, class F, class... A>
constexpr auto with_constants(F const& f, A const&... a) {
    (refuse(why_no_constant<A>()), ...);
    return f(as_constant_beside<common_of<A...>, Integers>(a, a...)...);
}
template <class F, class... A>
constexpr auto with_indices(F const& f, A const&... a) {
    return with_constants<integers_are::indices>(f, a...);
}
}  // namespace detail::ops_part
}  // namespace tapeless
