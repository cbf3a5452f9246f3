// SPDX-License-Identifier: MIT
#pragma once
// What an operation is: one struct with its name, its evaluation on numbers or batches, and its derivative rule.

#include <array>

#include <tapeless/base/inline.hpp>
#include <tapeless/ir/constants.hpp>
#include <tapeless/ir/expression.hpp>
#include <tapeless/ir/shape_rule.hpp>
#include <tapeless/simd/registers.hpp>

namespace tapeless {
namespace detail {
template <class... T>
struct common_element;
}
struct not_equal_op;

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

/// An operand that gets no cotangent.
struct no_cotangent : expression_base {};

/// The cotangents of an operation's operands, in order.
template <class... E>
struct cotangents : detail::operands<std::make_integer_sequence<int, static_cast<int>(sizeof...(E))>, E...> {
    constexpr explicit cotangents(E const&... e)
        : detail::operands<std::make_integer_sequence<int, static_cast<int>(sizeof...(E))>, E...>(e...) {}
    static constexpr int size = static_cast<int>(sizeof...(E));
};

/// Refuses operands of different element types.
template <class Op, class A, class B>
struct element_types_differ {
    static_assert(sizeof(A) == 0, "operands have different element types: convert one of them with cast<T>(...)");
};

/// Refuses a mask where numbers are computed with.
template <class Op>
struct mask_is_not_a_number {
    static_assert(sizeof(Op) == 0,
                  "a mask has no arithmetic: choose with where(mask, a, b), or make it numbers: cast<T>(mask)");
};
/// Refuses 0.5 * x where x holds integers.
template <class Integer>
struct fraction_beside_integers {
    static_assert(sizeof(Integer) == 0,
                  "a floating-point number beside integers: write 2 instead of 2.0, or cast<float>(x)");
};

namespace detail {

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

template <class Op, class C, class T>
constexpr bool element_fits() {
    if constexpr (!std::same_as<T, no_element> && !is_flag<T> && !std::same_as<T, C>)
        return !refuse(because<element_types_differ<Op, C, T>>{});
    if constexpr (is_mask_among_numbers<Op, T>) return !refuse(because<mask_is_not_a_number<Op>>{});
    return true;
}

template <class Op>
concept has_number = requires { requires Op::has_number; };
template <class Op>
concept has_axes = requires { requires Op::has_axes; };

struct names_pushforward {
    static void pushforward();
};
template <class Op>
struct names_it_twice : Op, names_pushforward {};
/// Whether there is a rule of that name, whatever it takes: then the name is ambiguous beside another one.
template <class Op>
concept has_pushforward = !requires { &names_it_twice<Op>::pushforward; };

/// What a mask is called in the table: as wide as the numbers it selects.
template <class T, class... Others>
struct table_type {
    using type = T;
};
template <class... Others>
struct table_type<bool, Others...> {
    using type = std::conditional_t<((sizeof(Others) == 8) || ...), mask64_t, mask32_t>;
};

template <int I, class Head, class... Tail>
struct nth_type : nth_type<I - 1, Tail...> {};
template <class Head, class... Tail>
struct nth_type<0, Head, Tail...> {
    using type = Head;
};

constexpr int to_mask(builder& b, int id, dtype want);

/// Which of the operations that rules look for Op is: told by the type itself, so that not even what derives from it
/// counts.
template <class Op>
inline constexpr builtin builtin_of = builtin::none;

template <class Op, class... T>
struct operation_table {
    using R = typename Op::template result<T...>;
    // a comparison's mask is as wide as what it compares
    using out_type = std::conditional_t<std::same_as<R, bool>, typename table_type<bool, T...>::type, R>;
    static constexpr int arity = static_cast<int>(sizeof...(T));

    static constexpr dims shape_rule(builder& b, node const& n) { return Op::shape(b, n); }
    static constexpr int simplify_rule(builder& b, node const& n) { return Op::template simplify<R>(b, n); }
    static constexpr int batch_rule(builder& b, node const& n, unsigned leading) { return Op::of_all(b, n, leading); }

    static constexpr void pullback_rule(builder& b, int y, int g, node const& n, int* out) {
        pull(std::make_integer_sequence<int, arity>{}, b, y, g, n, out);
    }
    // functions of their own rather than lambdas, of which every table would have a class
    template <int... I>
    static constexpr void pull(std::integer_sequence<int, I...> all, builder& b, int y, int g, node const& n,
                               int* out) {
        node_ref<computed<R>> gr(&b, g);
        node_ref<R> yr(&b, y);
        if constexpr (has_axes<Op>) put(all, b, out, Op::pullback(gr, yr, node_ref<T>(&b, n.in[I])..., n.attr));
        else if constexpr (has_number<Op>)
            put(all, b, out, Op::pullback(gr, yr, node_ref<T>(&b, n.in[I])..., n.attr.number));
        else put(all, b, out, Op::pullback(gr, yr, node_ref<T>(&b, n.in[I])...));
    }
    template <int... I, class C>
    static constexpr void put(std::integer_sequence<int, I...>, builder& b, int* out, C const& c) {
        static_assert(C::size == arity, "pullback: one cotangent for each operand");
        ((out[I] = walk_cotangent<T>(b, detail::get<I>(c))), ...);
    }
    template <class U, class E>
    static constexpr int walk_cotangent(builder& b, E const& e) {
        if constexpr (std::same_as<E, no_cotangent>) return -1;
        else if constexpr (number<E>) return b.constant(static_cast<double>(e), dtype_of<computed<U>>());
        else return e.walk(b);
    }

    template <class U>
    using tangent_of = std::conditional_t<std::floating_point<computed<U>>, computed<U>, computed<R>>;
    static constexpr int pushforward_rule(builder& b, int y, node const& n, int const* t) {
        return [&]<int... I>(std::integer_sequence<int, I...>) {
            auto with = [&](auto const&... attributes) {
                return walk_cotangent<R>(b, Op::pushforward(node_ref<R>(&b, y), node_ref<T>(&b, n.in[I])...,
                                                            node_ref<tangent_of<T>>(&b, t[I])..., attributes...));
            };
            if constexpr (has_axes<Op>) return with(n.attr);
            else if constexpr (has_number<Op>) return with(n.attr.number);
            else return with();
        }(std::make_integer_sequence<int, arity>{});
    }

    template <int I>
    using input_register =
        typename register_type<typename nth_type<I, typename table_type<T, T..., R>::type...>::type>::type;
    template <int I>
    TAPELESS_CONFIG_INLINE static auto input(void const* a, void const* b, void const* c) ->
        typename handed<Op, input_register<I>>::type {
        return *static_cast<input_register<I> const*>(I == 0 ? a : I == 1 ? b : c);
    }
    TAPELESS_CONFIG_INLINE static void eval_rule(void* out, void const* a, void const* b, void const* c, double num) {
        (void)num, (void)b, (void)c;
        if constexpr (requires { Op::template eval_raw<T..., R>(out, a); }) {
            Op::template eval_raw<T..., R>(out, a);
        } else {
            evaluate(std::make_integer_sequence<int, arity>{}, out, a, b, c, num);
        }
    }
    template <int... I>
    TAPELESS_CONFIG_INLINE static void evaluate(std::integer_sequence<int, I...>, void* out, void const* a,
                                                void const* b, void const* c, double num) {
        using out_register = typename register_type<out_type>::type;
        (void)num;
        if constexpr (has_number<Op>)
            *static_cast<out_register*>(out) = as_register<out_type>(Op::eval(input<I>(a, b, c)..., num));
        else *static_cast<out_register*>(out) = as_register<out_type>(Op::eval(input<I>(a, b, c)...));
    }

    /// Translation units built for other instruction sets have their own.
    template <class Build>
    static void run_rule(strided const* in, strided const* out, attribute const& at, void* scratch) {
        if constexpr (requires {
                          Op::template run<typename type_of_dtype<dtype_of<T>()>::type...>(in, out, at, scratch);
                      })
            Op::template run<typename type_of_dtype<dtype_of<T>()>::type...>(in, out, at, scratch);
        else Op::template run<typename type_of_dtype<dtype_of<T>()>::type...>(in, *out, at);
    }
    template <class Build, int Rows>
    static void run_small_rule(strided const* in, strided const* out, attribute const& at, void*) {
        Op::template run_small<Rows, typename type_of_dtype<dtype_of<T>()>::type...>(in, *out, at);
    }
    template <std::size_t... K>
    static constexpr void put_small(operation& o, std::index_sequence<K...>) {
        o.has_small = true;
        ((o.run_small[K] = &run_small_rule<simd::batch<float>, small_sizes[K]>), ...);
    }

    static constexpr operation make() {
        operation o;
        o.name = Op::name.text;
        o.is = builtin_of<Op>;
        o.identity = identity_of(__PRETTY_FUNCTION__);
        o.kind = Op::kind;
        o.arity = arity;
        if constexpr (requires { Op::cost; }) o.cost = Op::cost;
        if constexpr (requires { Op::combine; }) o.combine = Op::combine;
        if constexpr (requires { Op::form; }) o.form = Op::form;
        if constexpr (requires { Op::same_value; }) o.same_value = Op::same_value;
        int i = 0;
        ((o.in[i++] = dtype_of<typename table_type<T, T..., R>::type>()), ...);
        o.out = dtype_of<out_type>();
        if constexpr (requires(builder& b, node const& n) { Op::shape(b, n); }) {
            o.shape = &shape_rule;
            o.shapes = true;
        }
        if constexpr (requires(builder& b, node const& n) { Op::template simplify<R>(b, n); }) {
            o.simplify = &simplify_rule;
            o.simplifies = true;
        }
        if constexpr (std::floating_point<computed<R>> && !requires { requires !Op::differentiable; }) {
            o.pullback = &pullback_rule;
            o.differentiable = true;
            if constexpr (has_pushforward<Op>) {
                o.pushforward = &pushforward_rule;
                o.pushes = true;
            }
        }
        if constexpr (Op::kind == node_kind::elementwise && !requires { Op::same_value; }) o.eval = &eval_rule;
        if constexpr (requires { Op::part; }) o.part = Op::part;
        else if constexpr (requires { Op::role; }) o.role = Op::role;
        else if constexpr (Op::kind == node_kind::custom_loop) o.run = &run_rule<simd::batch<float>>;
        if constexpr (requires { Op::knows_small_sizes; })
            put_small(o, std::make_index_sequence<std::size(small_sizes)>{});
        if constexpr (requires(attribute const& at) { Op::cut(at, 0); }) o.cut = &Op::cut;
        if constexpr (requires { Op::runs_alone; }) o.runs_alone = Op::runs_alone;
        if constexpr (requires { Op::takes_leading_axes; }) o.takes_leading_axes = Op::takes_leading_axes;
        if constexpr (requires(builder& b, node const& n) { Op::of_all(b, n, 0u); }) {
            o.of_all = &batch_rule;
            o.batches = true;
        }
        if constexpr (requires { Op::of_items; }) o.of_items = Op::of_items;
        if constexpr (requires { Op::template scratch_element<T...>; })
            o.scratch_element = Op::template scratch_element<T...>;
        if constexpr (requires { Op::scratch_by_offset; }) o.scratch_by_offset = Op::scratch_by_offset;
        return o;
    }
    static constexpr operation value = make();

    static constexpr int emit(builder& b, attribute at, std::array<int, sizeof...(T)> in) {
        // logic on masks keeps the width of the first
        if constexpr (std::same_as<R, bool> && (std::same_as<T, bool> && ...)) {
            if (b.nodes.items[in[0]].type == dtype::mask64)
                return operation_table<Op, typename std::conditional<true, mask64_t, T>::type...>::emit(b, at, in);
        }
        node n;
        n.attr = at;
        for (int i = 0; i < arity; ++i) {
            n.in[i] = in[static_cast<std::size_t>(i)];
            if (is_mask(value.in[i])) n.in[i] = to_mask(b, n.in[i], value.in[i]);
        }
        return b.emit(value, n);
    }
};

template <class E>
constexpr builder* graph_of(E const& e) {
    if constexpr (expression<E>) return e.where();
    else return nullptr;
}

/// A constant array in the graph of the others, with elements of type T; anything else as it is.
template <class T, class E, class... All>
constexpr auto in_graph_beside(E const& e, All const&... all) {
    if constexpr (constant_tensor<E>) {
        if constexpr (std::integral<T> && !std::same_as<T, bool> && !std::integral<typename E::value_type>)
            refuse(because<fraction_beside_integers<T>>{});
        builder* b = nullptr;
        ((b = b ? b : graph_of(all)), ...);
        return in_graph<T>(*b, e);
    } else {
        return e;
    }
}

template <class To>
struct cast_op;

/// What is half or bfloat16, as float: operations are computed there.
template <class E>
constexpr auto widened(E const& e) {
    if constexpr (!storage_only<typename E::value_type>) return e;
    else if constexpr (is_node_ref<E>)
        return node_ref<float>(e.graph,
                               operation_table<cast_op<float>, typename E::value_type>::emit(*e.graph, {}, {e.id}));
    else return expr<cast_op<float>, float, typename E::shape_type, E>(attribute{}, e);
}

/// Constants of a graph are kept as double: whether an integer that was computed so is itself, and one of type T.
template <class T>
constexpr bool is_exact(double v) {
    constexpr double whole = 9007199254740992.0;  // 2^53
    if constexpr (sizeof(T) == 4) return v >= -2147483648.0 && v <= 2147483647.0;
    else return v > -whole && v < whole;  // 2^53 may have been its neighbour
}
/// Called where a number in an expression would become another one (hand it in as an argument): not a constant
/// expression, so the compiler names it.
inline void integer_that_the_elements_beside_it_or_double_cannot_hold() {}
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
        if constexpr (std::integral<T> && !std::same_as<T, bool> && !std::integral<E>)
            refuse(because<fraction_beside_integers<T>>{});
        if constexpr (std::integral<T> && !std::same_as<T, bool> && std::integral<E>)
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
}  // namespace detail

namespace detail {
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
}  // namespace detail

namespace detail {
/// The operations that an expression's type holds.
template <class E>
inline constexpr int operations_in = 0;
template <class Op, class T, class Shape, class... A>
inline constexpr int operations_in<expr<Op, T, Shape, A...>> = (1 + ... + operations_in<A>);
inline constexpr int most_operations = 4096;

template <class Head, class... Tail>
constexpr auto first_expression(Head const& a, Tail const&... rest) {
    if constexpr (expression<Head>) return a;
    else return first_expression(rest...);
}
}  // namespace detail

/// Applies an operation to expressions and numbers: the expression node of type Op.
template <class Op, class... A>
    requires((expression<A> || ...) && !(detail::is_node_ref<A> || ...))
constexpr auto apply_with(detail::attribute at, A const&... a) {
    using C = detail::common_for<Op, A...>;
    static_assert(
        (detail::element_fits<Op, C,
                              std::conditional_t<detail::is_integer_beside<A, C>, C, detail::operand_element<A>>>() &&
         ...));
    if constexpr ((detail::constant_tensor<A> || ...)) {
        (void)(detail::is_constant_array<A>() && ...);
        return apply_with<Op>(at, detail::in_graph_beside<C>(a, a...)...);
    } else if constexpr ((detail::operations_in<A> + ...) > detail::most_operations) {
        refuse(because<expression_is_too_large<Op, (detail::operations_in<A> + ...)>>{});
        return detail::first_expression(a...);
    } else {
        using R = typename detail::result_element<Op, C, A...>::type;
        using S =
            typename Op::template result_shape<Op, typename decltype(detail::as_operand<C, Op>(a))::shape_type...>;
        return expr<Op, R, S, decltype(detail::as_operand<C, Op>(a))...>(at, detail::as_operand<C, Op>(a)...);
    }
}
/// In a derivative rule the operation is appended to the graph at once. (The return type is spelled out: rules use the
/// operations whose rules they are.)
template <class Op, class... A>
    requires(detail::is_node_ref<A> || ...)
constexpr node_ref<typename detail::result_element<Op, detail::common_of<A...>, A...>::type> apply_with(
    detail::attribute at, A const&... a) {
    using C = detail::common_of<A...>;
    static_assert(
        (detail::element_fits<Op, C,
                              std::conditional_t<detail::is_integer_beside<A, C>, C, detail::operand_element<A>>>() &&
         ...));
    detail::builder* b = nullptr;
    ((b = b ? b : detail::graph_of(a)), ...);
    if constexpr ((detail::constant_tensor<A> || ...))
        return apply_with<Op>(at, detail::in_graph_beside<C>(a, a...)...);
    using table = detail::operation_table<Op, typename decltype(detail::as_operand<C>(a))::value_type...>;
    return {b, table::emit(*b, at, {detail::as_operand<C>(a).walk(*b)...})};
}

namespace detail {
/// An operation whose result shape is known to the caller.
template <class Op, class Shape, class A>
constexpr auto apply_shaped(attribute at, A const& a) {
    if constexpr (is_node_ref<A>) return apply_with<Op>(at, a);
    else if constexpr (storage_only<typename A::value_type>) return apply_shaped<Op, Shape>(at, widened(a));
    else if constexpr (Op::kind == node_kind::reduce && std::same_as<typename A::value_type, bool> &&
                       !requires { requires Op::takes_masks; }) {
        if constexpr (Op::combine != reduction::sum) refuse(because<mask_is_not_a_number<Op>>{});
        // a sum counts what is set
        return apply_shaped<Op, Shape>(at, apply_with<cast_op<std::int64_t>>(attribute{}, a));
    }
    else return expr<Op, typename Op::template result<typename A::value_type>, Shape, A>(at, a);
}
}  // namespace detail

namespace detail {
/// What apply<Op>(a...) returns. Functions name it instead of `auto`: the rule of an operation may then use functions
/// that are built on the operation itself.
template <class Op, class... A>
using applied = decltype(apply_with<Op>(attribute{}, std::declval<A const&>()...));
}  // namespace detail

/// Applies an operation: `apply<softsign_op>(x)`.
template <class Op, class... A>
    requires(expression<A> || ...)
constexpr detail::applied<Op, A...> apply(A const&... a) {
    // here, where the user's own line is the next but one in the compiler's report
    if constexpr (Op::kind == detail::node_kind::elementwise && !(detail::is_node_ref<A> || ...))
        refuse(because<detail::check_broadcast<Op, detail::operand_shape<A>...>>{});
    return apply_with<Op>(detail::attribute{}, a...);
}

}  // namespace tapeless
