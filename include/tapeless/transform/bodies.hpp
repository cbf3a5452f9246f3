// SPDX-License-Identifier: MIT
#pragma once
// Bodies from functions: f is called on symbols of its own, and what it computes from them is cut out of the graph.

#include <tapeless/graph/body.hpp>
#include <tapeless/ops/constant.hpp>
#include <tapeless/transform/nested.hpp>

namespace tapeless {

/// Refuses a body that gives back a tree of another kind than it has to.
template <class Wanted, class Returned>
struct body_returns_something_else {
    static_assert(
        never<Wanted>,
        "a step of scan, fold and while_loop gives back carries like those it got, and both functions of cond "
        "results alike: the same tree, element types and shapes");
};
/// Refuses a function with other parameters than it is called with.
template <class F, class... Arguments>
struct function_is_called_with_other_arguments {
    static_assert(never<F>,
                  "a function that is handed in has the parameters it is called with: scan and fold call step(carry, "
                  "item of each sequence...), fold<n> and while_loop step(carry), cond and checkpoint f(args...), vmap "
                  "f(item of each argument...), root, fixed_point, argmin and quad f(x, args...), odeint f(y, t, "
                  "args...)");
};
/// Refuses masks as values that go in and out of bodies.
template <class Mask>
struct body_result_is_a_mask {
    static_assert(
        never<Mask>,
        "scan, fold, while_loop, cond and checkpoint take and return numbers: convert masks with cast<T>(mask)");
};
/// Refuses a condition that is an array.
template <class Condition>
struct condition_is_not_one_value {
    static_assert(
        never<Condition>,
        "cond, while_loop: the condition is one bool or integer; where(mask, a, b) chooses element by element");
};

/// Refuses fold(init, f, xs) and the like.
template <class F>
struct functions_come_first {
    static_assert(never<F>,
                  "functions come first: scan(f, init, xs...), fold(f, init, xs...), while_loop(keep_going, step, "
                  "init), root(f, guess, args...), odeint(f, y, times), quad(f, a, b)");
};

namespace detail::inline transform_part {

/// What is no function, though it may have a call operator.
template <class A>
inline constexpr bool is_value = any_expression<A> || leaf<A>;
/// Why these are not functions.
template <class... F>
using functions_refused = typename first_reason<unless<!is_value<F>, functions_come_first<F>>...>::type;

/// Why f cannot be called on these symbols; void where that was said of its body.
template <class F, class... A>
constexpr auto why_not_on() {
    if constexpr (has_no_overload<F, A...>) return because<function_is_called_with_other_arguments<F, A...>>{};
    else if constexpr (requires(F const& f, A const&... a) { f(a...); }) return because<no_reason>{};
    else return because<void>{};
}

template <class E>
inline constexpr bool is_symbol = false;
template <class T, auto... E>
inline constexpr bool is_symbol<symbol<T, E...>> = true;

template <class A>
constexpr bool holds_only_symbols();
template <class... T>
constexpr bool all_hold_symbols(std::type_identity<std::tuple<T...>>) {
    return (holds_only_symbols<std::remove_cvref_t<T>>() && ...);
}
/// A tree of nothing but symbols.
template <class A>
constexpr bool holds_only_symbols() {
    if constexpr (expression<A>) return is_symbol<A>;
    else if constexpr (leaf<A>) return false;
    else if constexpr (is_array<A> || is_tuple<A> || decomposable<A>)
        return all_hold_symbols(std::type_identity<parts<A>>{});
    else return false;
}

template <bool Floating, class A>
constexpr auto find_element();
template <bool Floating>
constexpr auto find_element_of(std::type_identity<std::tuple<>>) {
    return std::type_identity<void>{};
}
template <bool Floating, class Head, class... Tail>
constexpr auto find_element_of(std::type_identity<std::tuple<Head, Tail...>>) {
    using Found = decltype(find_element<Floating, std::remove_cvref_t<Head>>());
    if constexpr (std::same_as<Found, std::type_identity<void>>)
        return find_element_of<Floating>(std::type_identity<std::tuple<Tail...>>{});
    else return Found{};
}
/// The element type of the first array of a tree, or of the first floating-point one; void where there is none.
template <bool Floating, class A>
constexpr auto find_element() {
    if constexpr (expression<A>) {
        using T = computed<typename A::value_type>;
        return std::type_identity<
            std::conditional_t<(Floating ? std::floating_point<T> : !std::same_as<T, bool>), T, void>>{};
    } else if constexpr (leaf<A>) {
        return std::type_identity<void>{};
    } else {
        return find_element_of<Floating>(std::type_identity<parts<A>>{});
    }
}
/// Element type of numbers in trees: that of the first floating-point array beside them, otherwise of the first array.
template <class... A>
struct number_type {
    static constexpr auto find() {
        using Floating = decltype(find_element_of<true>(std::type_identity<std::tuple<A...>>{}));
        using Any = decltype(find_element_of<false>(std::type_identity<std::tuple<A...>>{}));
        if constexpr (!std::same_as<Floating, std::type_identity<void>>) return Floating{};
        else if constexpr (!std::same_as<Any, std::type_identity<void>>) return Any{};
        else return std::type_identity<double>{};
    }
    using type = typename decltype(find())::type;
};

/// What stands for a result where there is none: a number beside these arguments.
template <class... A>
constexpr auto in_place_of_result(builder& b) {
    using T = typename number_type<A...>::type;
    return symbol<T>(&b, b.constant(0, dtype_of<T>()));
}

/// A tree whose leaves are symbols: it stays what it is where they were, tuples otherwise. Numbers become values of
/// type T; a floating-point number beside integers alone stays what it is. A tensor is a constant, and integers in
/// one stay what they are.
template <class T, class A>
constexpr auto as_symbols(builder& b, A const& a) {
    if constexpr (expression<A>) return settled(b, let(widened(a)));
    else if constexpr (number<A>) {
        using V = std::conditional_t<std::floating_point<A> && std::integral<T>, A, T>;
        return symbol<V>(&b, b.constant(static_cast<double>(a), dtype_of<V>()));
    } else if constexpr (constant_tensor<A>) {
        using C = computed<typename A::value_type>;
        refuse(why_no_constant<A>());
        return in_graph<std::conditional_t<std::floating_point<C> && std::floating_point<T>, T, C>>(b, a);
    } else if constexpr (holds_only_symbols<A>()) {
        return settled(b, a);
    } else {
        return detail::with_parts([&](auto const&... x) { return std::make_tuple(as_symbols<T>(b, x)...); },
                                  parts_of(a));
    }
}

/// The leaves of a tree of symbols, in order, as a tuple.
template <class A>
constexpr auto flat_symbols(A const& a) {
    if constexpr (expression<A>) return std::make_tuple(a);
    else return detail::with_parts([](auto const&... x) { return std::tuple_cat(flat_symbols(x)...); }, parts_of(a));
}
template <class A>
using flat_symbols_t = decltype(flat_symbols(std::declval<A const&>()));

/// What F returned as symbols, several of them in tuples; half comes out of a body as float, and the like.
template <class F, class R>
constexpr auto body_results(builder& b, R const& r) {
    if constexpr (!is_result<R>()) refuse(because<result_is_no_expression<F, R>>{});
    else if constexpr (expression<R>) return settled(b, let(widened(r)));
    else
        return detail::with_parts([&](auto const&... x) { return std::make_tuple(body_results<F>(b, x)...); },
                                  parts_of(r));
}
/// And half again, where R, what was returned, has it.
template <class R, class S>
constexpr auto as_returned(S const& s) {
    if constexpr (expression<R>) {
        if constexpr (storage_only<typename R::value_type>) return cast<typename R::value_type>(s);
        else return s;
    } else {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return std::make_tuple(
                as_returned<std::remove_cvref_t<std::tuple_element_t<K, parts<R>>>>(std::get<K>(s))...);
        }(std::make_index_sequence<std::tuple_size_v<parts<R>>>{});
    }
}

template <class A, class B>
inline constexpr bool same_leaf = false;
template <class T, auto... D, auto... E>
inline constexpr bool same_leaf<symbol<T, D...>, symbol<T, E...>> = extents_agree<shape<D...>, shape<E...>>();
// in a derivative rule only the graph knows shapes: match_shapes compares them
template <class T>
inline constexpr bool same_leaf<node_ref<T>, node_ref<T>> = true;
template <class T, auto... E>
inline constexpr bool same_leaf<symbol<T, E...>, node_ref<T>> = true;
template <class T, auto... E>
inline constexpr bool same_leaf<node_ref<T>, symbol<T, E...>> = true;
template <class A, class B>
inline constexpr bool same_trees = false;
template <class... A, class... B>
    requires(sizeof...(A) == sizeof...(B))
inline constexpr bool same_trees<std::tuple<A...>, std::tuple<B...>> = (same_leaf<A, B> && ...);

template <class A>
constexpr void refuse_masks(A const& a) {
    each_leaf(a, [](auto const& s) {
        using S = std::remove_cvref_t<decltype(s)>;
        if constexpr (std::same_as<typename S::value_type, bool>) refuse(because<body_result_is_a_mask<S>>{});
    });
}

/// A value of a body's own, in place of one like node `like`.
constexpr int emit_placeholder(builder& b, dims const& shape, dtype type) {
    int const blank = b.blank(b.intern(shape), type);
    return emit_with<parameter_op>(b, blank, attribute::labelled(++b.barrier));
}
/// The same tree on placeholders, which are added to the list.
template <class A>
constexpr A with_placeholders(builder& b, A tree, list<int>& inputs) {
    each_leaf(tree, [&](auto& s) {
        s.id = emit_placeholder(b, dims(b.shape_of(s.id)), b.nodes[s.id].type);
        inputs.push(s.id);
    });
    return tree;
}

template <class A>
constexpr void list_nodes(A const& tree, list<int>& to) {
    each_leaf(tree, [&](auto const& s) { to.push(s.id); });
}

/// What a body sees of an argument: placeholders in place of its expressions, which become operands; anything else as
/// it is.
template <class A>
constexpr auto bind_argument(builder& b, A const& x, list<int>& inputs, list<int>& operands) {
    if constexpr (holds_expressions<A>()) {
        auto const s = as_symbols<typename number_type<A>::type>(b, x);
        refuse_masks(s);
        list_nodes(s, operands);
        return with_placeholders(b, s, inputs);
    } else {
        return x;
    }
}

template <class A>
using bound_argument = decltype(bind_argument(std::declval<builder&>(), std::declval<A const&>(),
                                              std::declval<list<int>&>(), std::declval<list<int>&>()));

/// Makes the nodes of one tree have the shapes of another: run time checks what the types do not say.
constexpr void match_shapes(builder& b, list<int>& nodes, list<int> const& like) {
    for (int i = 0; i < nodes.size(); ++i) {
        dims const have = b.shape_of(nodes[i]), want = b.shape_of(like[i]);
        // only in a derivative rule
        if (have.rank != want.rank) detail::raise("scan, fold, cond: what comes back has another rank");
        for (int k = 0; k < want.rank; ++k) {
            if (have.extent[k] >= 0 && want.extent[k] >= 0 && have.extent[k] != want.extent[k])
                detail::raise("scan, fold, cond: what comes back has another shape");
            (void)b.same(have.extent[k], want.extent[k]);
        }
        nodes[i] = emit_expand(b, nodes[i], want);
    }
}

/// Cuts a body out of the graph: its own inputs come first, then what it needs of what was there before node `first`.
constexpr int cut_body(builder& b, list<int> const& inputs, list<int> const& captured, list<int> const& outputs) {
    list<int> all = inputs;
    for (int c : captured) all.push(c);
    return add_body(b, cut_out(b, all, outputs, b.extents.size()));
}

/// Indices that a body takes as they are handed to it are looked at where it is called: `operands` are those of the
/// body's inputs.
constexpr void hoist_index_checks(builder& b, int body_number, list<int> const& operands, int from) {
    body& x = b.bodies[body_number];
    list<index_check> kept;
    for (index_check const& c : x.index_checks) {
        int id = c.index;  // the same elements under other axes
        while ((x.nodes[id].is_axes_view()) ||
               (x.nodes[id].kind == node_kind::elementwise && x.nodes[id].op->same_value))
            id = x.nodes[id].in[0];
        if (c.lengths < 0 && id >= from && id < x.inputs) b.check_index(operands[id], dims(x.shapes[c.shape]), c.rule);
        else kept.push(c);
    }
    x.index_checks = kept;
}

/// Why this is no condition.
template <class P>
constexpr auto why_no_condition() {
    if constexpr (number<P> || is_node_ref<P>) return because<no_reason>{};
    else
        return because<
            unless<P::rank == 0 && !std::floating_point<typename P::value_type>, condition_is_not_one_value<P>>>{};
}
/// A condition as an integer in memory.
template <class P>
constexpr int emit_condition(builder& b, P const& pred) {
    if constexpr (number<P>) return b.constant(pred ? 1 : 0, dtype::i32);
    else {
        using V = typename P::value_type;
        if constexpr (std::floating_point<V>) refuse(because<condition_is_not_one_value<P>>{});
        else if constexpr (is_node_ref<P>) {
            if (b.shape_of(pred.id).rank != 0) detail::raise("cond, while_loop: the condition is one bool or integer");
        } else if constexpr (P::rank != 0) refuse(because<condition_is_not_one_value<P>>{});
        if constexpr (std::same_as<V, bool>) return let(cast<std::int32_t>(pred)).id;
        else return let(cast<std::int32_t>(pred != 0)).id;
    }
}

/// The results of a call in place of a tree's values: those of the carries, or outputs, from number `next` on.
template <class A>
constexpr A take_results(builder& b, A tree, int call, call_info const& info, result_form form, int next = 0) {
    each_leaf(tree, [&](auto& s) {
        int r = 0;
        while (info.results[r].form != form || info.results[r].which != next) ++r;
        s.id = emit_result(b, call, r, dims(b.shape_of(s.id)), b.nodes[s.id].type);
        ++next;
    });
    return tree;
}

}  // namespace detail::transform_part
}  // namespace tapeless
