// SPDX-License-Identifier: MIT
#pragma once
// scan and fold: a loop over the first axis of arrays that is compiled once, however long it is.

#include <tapeless/array/leaves.hpp>
#include <tapeless/transform/bodies.hpp>
#include <tapeless/transform/grad.hpp>
#include <tapeless/transform/split_carries.hpp>

namespace tapeless {

/// Refuses sequences of different lengths.
template <class Sequences, int Length, int Other>
struct scan_lengths_differ {
    static_assert(never<Sequences>, "scan and fold: the sequences have first axes of different lengths");
};
/// Refuses a number where a sequence belongs.
template <class Sequence>
struct scan_over_a_number {
    static_assert(never<Sequence>, "scan and fold go along the first axis of arrays: this one has no axis");
};
/// Refuses a step that does not return a pair.
template <class Returned>
struct scan_step_returns_no_pair {
    static_assert(never<Returned>,
                  "scan: a step returns std::pair(next carry, what is stacked); where nothing is stacked, use fold");
};

namespace detail::inline transform_part {

/// What a step sees of a sequence: one element along its first axis.
template <class E>
struct item_of {
    template <auto Head, auto... Tail>
    static std::type_identity<symbol<typename E::value_type, Tail...>> find(shape<Head, Tail...>);
    static std::type_identity<symbol<typename E::value_type>> find(shape<>) {
        refuse(because<scan_over_a_number<E>>{});
        return {};
    }
    using type = typename decltype(find(typename E::shape_type{}))::type;
};
template <class T>
struct item_of<node_ref<T>> {
    using type = node_ref<T>;
};
/// And the sequence of what a step gives.
template <class E, auto Length>
struct sequence_of {
    template <auto... X>
    static std::type_identity<symbol<typename E::value_type, Length, X...>> find(shape<X...>);
    using type = typename decltype(find(typename E::shape_type{}))::type;
};
template <class T, auto Length>
struct sequence_of<node_ref<T>, Length> {
    using type = node_ref<T>;
};

/// A tree with every symbol s replaced by change(s), as tuples and arrays; stacked blocks are one block where they lose
/// the axis.
template <class A, class Change>
constexpr auto changed_tree(A const& a, Change const& change) {
    if constexpr (expression<A>) return change(a);
    else if constexpr (is_array<A>)
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array{changed_tree(a[I], change)...};
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    else {
        auto made =
            detail::with_parts([&](auto const&... x) {  // in order: `change` may count
                return std::tuple<decltype(changed_tree(x, change))...>{changed_tree(x, change)...};
            }, parts_of(a));
        if constexpr (is_stacked<A>) {
            if constexpr (has_members<typename A::item, decltype(made)>)
                return made_of<typename A::item>(std::move(made));
            else return made;
        } else {
            return made;
        }
    }
}

/// The length of the first axis of the first leaf, as a type.
template <class... A>
struct common_length {
    template <class Head, class... Tail>
    static constexpr auto find(std::type_identity<std::tuple<Head, Tail...>>) {
        if constexpr (is_node_ref<Head>) return dyn;
        else if constexpr (Head::rank == 0) return dyn;  // which is refused
        else return shape_extent<0, typename Head::shape_type>::value;
    }
    static constexpr auto value =
        find(std::type_identity<decltype(std::tuple_cat(std::declval<flat_symbols_t<A>>()...))>{});
};
/// Where there are no sequences the number of steps is one of the template's.
template <auto N>
struct fixed_length {
    static constexpr auto value = N;
};

template <class R>
constexpr bool is_pair() {
    if constexpr (is_tuple<R>) return std::tuple_size_v<R> == 2;
    else return false;
}

/// The nodes of sequences; masks as integers, which are in memory.
template <class A>
constexpr void list_sequences(builder& b, A const& tree, list<int>& to) {
    each_leaf(tree, [&](auto const& s) {
        if constexpr (std::same_as<typename std::remove_cvref_t<decltype(s)>::value_type, bool>)
            to.push(cast<std::int32_t>(s).walk(b));
        else to.push(s.id);
    });
}

/// The loop. Stacks: a step returns the pair of next carries and what is stacked; otherwise the next carries.
template <bool Stacks, class Length, class F, class Init, class... X>
constexpr auto loop_on_symbols(builder& b, std::int64_t steps, F const& f, Init const& init, X const&... xs) {
    list<int> inputs, operands, captured, outputs, carried;
    list_nodes(init, operands);
    (list_sequences(b, xs, operands), ...);
    auto const carry = with_placeholders(b, init, inputs);
    carried = inputs;
    auto item = [&](auto const& s) {
        using S = typename item_of<std::remove_cvref_t<decltype(s)>>::type;
        constexpr bool mask = std::same_as<typename S::value_type, bool>;
        dims const d = without_leading(b.shape_of(s.id));
        inputs.push(emit_placeholder(b, d, mask ? dtype::i32 : b.nodes[s.id].type));
        return S(&b, mask ? (node_ref<std::int32_t>(&b, inputs.back()) != 0).id : inputs.back());
    };
    std::tuple<decltype(changed_tree(xs, item))...> const items{changed_tree(xs, item)...};  // in order
    using carried_type = std::remove_cvref_t<decltype(carry)>;
    constexpr auto why = why_not_on<F, carried_type, decltype(changed_tree(xs, item))...>();
    if constexpr (is_reason<decltype(why)>) {
        if constexpr (Stacks) return tapeless::instead_of(why, std::pair(init, init));
        else return tapeless::instead_of(why, init);
    } else {
        auto const step = [&](auto const&... x) { return f(carry, x...); };
        using Plain = std::remove_cvref_t<decltype(detail::with_parts(step, items))>;
        auto const returned = body_results<F>(b, detail::with_parts(step, items));
        using R = std::remove_cvref_t<decltype(returned)>;
        auto next_of = [](auto const& r) {
            if constexpr (Stacks) return std::get<0>(r);
            else return r;
        };
        if constexpr (Stacks && !is_pair<R>()) {
            return tapeless::instead_of(because<scan_step_returns_no_pair<R>>{}, std::pair(init, returned));
        } else if constexpr (!same_trees<flat_symbols_t<Init>, flat_symbols_t<decltype(next_of(returned))>>) {
            constexpr auto other = because<body_returns_something_else<Init, decltype(next_of(returned))>>{};
            if constexpr (Stacks) return tapeless::instead_of(other, std::pair(init, std::get<1>(returned)));
            else return tapeless::instead_of(other, init);
        } else {
            auto const next = next_of(returned);
            refuse_masks(returned);
            list_nodes(next, outputs);
            match_shapes(b, outputs, carried);
            call_info c;
            c.name = Stacks ? "scan" : "fold";
            c.form = call_form::loop;
            c.sequences = inputs.size() - carried.size();
            c.steps = steps;
            list<int> kept, stacked;  // of what is stacked: the number of its result, the same for what is the same
            if constexpr (Stacks) list_nodes(std::get<1>(returned), stacked);
            split_carries const split(b, inputs, operands, outputs, stacked);
            c.carries = outputs.size();
            for (int k = 0; k < c.carries; ++k) c.results.push({result_form::last, k});
            if constexpr (Stacks) {
                for (int y : stacked) {
                    int k = 0;
                    while (k < outputs.size() && outputs[k] != y) ++k;
                    if (k == outputs.size()) outputs.push(y);
                    call_result const rule = k < c.carries ? call_result{result_form::record, k}
                                                           : call_result{result_form::stack, k - c.carries};
                    int r = c.carries;
                    while (r < c.results.size() && !(c.results[r] == rule)) ++r;
                    kept.push(r < c.results.size() ? r : c.results.push(rule));
                }
            }
            find_captured(b, inputs, outputs, b.nodes.size(), captured);
            capture_elements(b, inputs, outputs, captured);
            c.body[0] = cut_body(b, inputs, captured, outputs);
            for (int k : captured) operands.push(emit_operand(b, k));
            hoist_index_checks(b, c.body[0], operands, c.carries);
            int const call = emit_call(b, c, operands);
            auto const last = split.take_last(init, call);
            if constexpr (!Stacks) return last;
            else {
                int y = 0;
                auto stack = [&](auto const& s) {
                    using S = typename sequence_of<std::remove_cvref_t<decltype(s)>, Length::value>::type;
                    int const r = kept[y++];
                    if (c.results[r].form == result_form::stack)
                        return S(&b,
                                 emit_result(b, call, r, with_leading(b, steps, b.shape_of(s.id)), b.nodes[s.id].type));
                    int const record =
                        emit_result(b, call, r, with_leading(b, b.sum(steps, 1), b.shape_of(s.id)), b.nodes[s.id].type);
                    return S(&b, emit_leading(b, record, 1, steps));
                };
                using Y = std::remove_cvref_t<std::tuple_element_t<1, Plain>>;
                return std::pair(last, as_returned<Y>(changed_tree(std::get<1>(returned), stack)));
            }
        }
    }
}

/// The steps that the sequences have; run time checks that they agree where the types do not say so.
template <class Head, class... Tail>
constexpr std::int64_t steps_of(builder& b, Head const& head, Tail const&... tail) {
    std::int64_t steps = 0;
    bool first = true;
    auto one = [&](auto const& s) {
        // only in a derivative rule
        if (b.shape_of(s.id).rank == 0) detail::raise("scan and fold go along the first axis of arrays");
        std::int64_t const e = b.shape_of(s.id).extent[0];
        steps = first ? b.resolve(e) : b.same(steps, e);
        first = false;
    };
    each_leaf(head, one);
    (each_leaf(tail, one), ...);
    return steps;
}
/// Why there is no loop along these sequences.
template <class Length, class S, class All>
constexpr auto why_no_sequence() {
    if constexpr (is_node_ref<S>) return because<no_reason>{};  // only the graph knows its shape
    else if constexpr (S::rank == 0) return because<scan_over_a_number<S>>{};
    else {
        constexpr std::int64_t e = S::shape_type::extents[0], n = extent_value<Length::value>();
        return because<
            unless<(e < 0 || n < 0 || e == n), scan_lengths_differ<All, static_cast<int>(n), static_cast<int>(e)>>>{};
    }
}
template <class Length, class... E>
constexpr auto why_no_sequences(std::type_identity<std::tuple<E...>>) {
    return tapeless::first_among(why_no_sequence<Length, E, std::tuple<E...>>()...);
}

template <bool Stacks, class F, class Init, class... X>
constexpr auto loop_over(F const& f, Init const& init, X const&... xs) {
    builder* b = nullptr;
    find_graph(init, b);
    (find_graph(xs, b), ...);
    using T = typename number_type<X..., Init>::type;
    return [&](auto const& first, auto const&... sequences) {
        using length = common_length<std::remove_cvref_t<decltype(sequences)>...>;
        constexpr auto why =
            why_no_sequences<length>(std::type_identity<decltype(std::tuple_cat(flat_symbols(sequences)...))>{});
        if constexpr (is_reason<decltype(why)>) {
            if constexpr (Stacks) return tapeless::instead_of(why, std::pair(first, first));
            else return tapeless::instead_of(why, first);
        } else {
            std::int64_t const steps = steps_of(*b, sequences...);
            return loop_on_symbols<Stacks, length>(*b, steps, f, first, sequences...);
        }
    }(as_symbols<T>(*b, init), as_symbols<T>(*b, xs)...);
}

/// The loop without sequences.
template <bool Stacks, int Steps, class F, class Init>
constexpr auto loop_of_steps(F const& f, Init const& init) {
    builder* b = nullptr;
    find_graph(init, b);
    return loop_on_symbols<Stacks, fixed_length<Steps>>(*b, Steps, f,
                                                        as_symbols<typename number_type<Init>::type>(*b, init));
}

/// The loops on arrays, by a function that has no state.
template <bool Stacks, class F>
struct loop_of_arrays {
    template <class Init, class... X>
    constexpr auto operator()(Init const& init, X const&... xs) const {
        return delivered(loop_over<Stacks>(F{}, init, xs...));
    }
};
template <bool Stacks, int Steps, class F>
struct steps_of_arrays {
    template <class Init>
    constexpr auto operator()(Init const& init) const {
        return delivered(loop_of_steps<Stacks, Steps>(F{}, init));
    }
};
}  // namespace detail::transform_part

/// A loop over the first axis of xs: (c, y_t) = f(c, x_t) for t = 0, 1, ..., starting from init. Returns the pair of
/// the last c and the stacked y. c, x and y may be trees; f sees aggregates along which it goes as tuples, and
/// carries as what they are. It is compiled once, and the backward pass keeps of each step what it needs and cannot
/// cheaply compute again. f may capture symbols of the function that scan is called in; on arrays it has no captures.
template <class F, class Init, class... X>
constexpr auto scan(F const& f, Init const& init, X const&... xs) {
    static_assert(sizeof...(X) > 0,
                  "scan(f, init, xs...): there is at least one sequence; scan<steps>(f, init) needs none");
    if constexpr (!accepts(because<detail::functions_refused<F>>{})) {
        auto const e = detail::some_expression(f, init, xs...);
        return std::pair(e, e);
    } else if constexpr (sizeof...(X) == 0) return std::pair(init, init);
    else if constexpr (detail::holds_expressions<Init>() || (detail::holds_expressions<X>() || ...))
        return delivered(detail::loop_over<true>(detail::as_plain(f), init, xs...));
    else if constexpr (detail::is_stateless<detail::plain_function<F>>())
        return evaluate(detail::loop_of_arrays<true, detail::plain_function<F>>{}, init, xs...);
}
/// The same without sequences, so many steps: (c, y_t) = f(c).
template <int Steps, class F, class Init>
constexpr auto scan(F const& f, Init const& init) {
    static_assert(Steps >= 0, "scan<steps>: not negative");
    if constexpr (detail::holds_expressions<Init>())
        return delivered(detail::loop_of_steps<true, (Steps < 0 ? 0 : Steps)>(detail::as_plain(f), init));
    else if constexpr (detail::is_stateless<detail::plain_function<F>>())
        return evaluate(detail::steps_of_arrays<true, (Steps < 0 ? 0 : Steps), detail::plain_function<F>>{}, init);
}
/// A loop over the first axis of xs: c = f(c, x_t) for t = 0, 1, ..., starting from init. Returns the last c. As scan
/// otherwise.
template <class F, class Init, class... X>
constexpr auto fold(F const& f, Init const& init, X const&... xs) {
    static_assert(sizeof...(X) > 0,
                  "fold(f, init, xs...): there is at least one sequence; fold<steps>(f, init) needs none");
    if constexpr (!accepts(because<detail::functions_refused<F>>{})) return detail::some_expression(f, init, xs...);
    else if constexpr (sizeof...(X) == 0) return init;
    else if constexpr (detail::holds_expressions<Init>() || (detail::holds_expressions<X>() || ...))
        return delivered(detail::loop_over<false>(detail::as_plain(f), init, xs...));
    else if constexpr (detail::is_stateless<detail::plain_function<F>>())
        return evaluate(detail::loop_of_arrays<false, detail::plain_function<F>>{}, init, xs...);
}
/// The same without sequences: f(... f(f(init))), so many times.
template <int Steps, class F, class Init>
constexpr auto fold(F const& f, Init const& init) {
    static_assert(Steps >= 0, "fold<steps>: not negative");
    if constexpr (detail::holds_expressions<Init>())
        return delivered(detail::loop_of_steps<false, (Steps < 0 ? 0 : Steps)>(detail::as_plain(f), init));
    else if constexpr (detail::is_stateless<detail::plain_function<F>>())
        return evaluate(detail::steps_of_arrays<false, (Steps < 0 ? 0 : Steps), detail::plain_function<F>>{}, init);
}

}  // namespace tapeless
