// SPDX-License-Identifier: MIT
#pragma once
// while_loop: a loop that ends when its carries say so, compiled once; and one that keeps few of its carries.

#include <tapeless/transform/bodies.hpp>
#include <tapeless/transform/checkpoint.hpp>
#include <tapeless/transform/grad.hpp>

namespace tapeless {
namespace detail::inline transform_part {

/// A tree like `like` of the nodes in the list.
template <class A>
constexpr A tree_of_nodes(A like, list<int> const& nodes) {
    int next = 0;
    each_leaf(like, [&](auto& s) { s.id = nodes[next++]; });
    return like;
}

/// The first carry is whether it goes on, which a step says of the carries that it gives back.
template <class P, class F, class Init>
constexpr auto while_on_symbols(builder& b, char const* name, std::int64_t most, P const& keep_going, F const& f,
                                Init const& init) {
    constexpr auto why = tapeless::first_among(why_not_on<P, Init>(), why_not_on<F, Init>());
    if constexpr (is_reason<decltype(why)>) {
        return tapeless::instead_of(why, init);
    } else {
        list<int> inputs, operands, captured, outputs, carried, next;
        refuse_masks(init);
        operands.push(emit_condition(b, keep_going(init)));
        list_nodes(init, operands);
        inputs.push(emit_placeholder(b, dims{}, dtype::i32));
        auto const carry = with_placeholders(b, init, carried);
        for (int c : carried) inputs.push(c);
        auto const returned = body_results<F>(b, f(carry));
        if constexpr (!same_trees<flat_symbols_t<Init>, flat_symbols_t<decltype(returned)>>) {
            return tapeless::instead_of(because<body_returns_something_else<Init, decltype(returned)>>{}, init);
        } else {
            refuse_masks(returned);
            list_nodes(returned, next);
            match_shapes(b, next, carried);
            outputs.push(emit_condition(b, keep_going(tree_of_nodes(init, next))));
            for (int n : next) outputs.push(n);
            call_info c;
            c.name = name;
            c.form = call_form::until;
            c.carries = inputs.size();
            c.steps = most;
            for (int k = 0; k < c.carries; ++k) c.results.push({result_form::last, k});
            find_captured(b, inputs, outputs, b.nodes.size(), captured);
            c.body[0] = cut_body(b, inputs, captured, outputs);
            for (int k : captured) operands.push(emit_operand(b, k));
            return take_results(b, init, emit_call(b, c, operands), c, result_form::last, 1);
        }
    }
}

template <std::int64_t Most, class P, class F, class Init>
constexpr auto while_of(P const& keep_going, F const& f, Init const& init) {
    builder* b = nullptr;
    find_graph(init, b);
    return while_on_symbols(*b, "while_loop", Most, keep_going, f,
                            as_symbols<typename number_type<Init>::type>(*b, init));
}

/// Rounds of at most `Round` steps, of which the carries are kept; what is between them is computed again backwards.
template <int Most, class P, class F, class Init>
constexpr auto while_in_rounds(P const& keep_going, F const& f, Init const& init) {
    constexpr int round = [] {
        int r = 1;
        while (r * r < Most) ++r;
        return r;
    }();
    constexpr int rounds = (Most + round - 1) / round;
    builder* b = nullptr;
    find_graph(init, b);
    auto const first = as_symbols<typename number_type<Init>::type>(*b, init);
    using carried_type = std::remove_const_t<decltype(first)>;
    constexpr auto why = tapeless::first_among(why_not_on<P, carried_type>(), why_not_on<F, carried_type>());
    if constexpr (is_reason<decltype(why)>) {
        return tapeless::instead_of(why, first);
    } else {
        symbol<std::int32_t> const zero(b, b->constant(0, dtype::i32));
        auto const whole_round = [&](auto const& s) {
            auto const more = [&](auto const& now) {
                return keep_going(std::get<2>(now)) && std::get<0>(now) < round && std::get<1>(now) < Most;
            };
            auto const step = [&](auto const& now) {
                return std::make_tuple(std::get<0>(now) + 1, std::get<1>(now) + 1, f(std::get<2>(now)));
            };
            auto const [n, all, last] =
                delivered(while_of<round>(more, step, std::make_tuple(zero, std::get<0>(s), std::get<1>(s))));
            return std::make_tuple(all, last);
        };
        return std::get<1>(delivered(while_of<rounds>([&](auto const& s) { return keep_going(std::get<1>(s)); },
                                                      checkpoint(whole_round), std::make_tuple(zero, first))));
    }
}

/// The loops on arrays, by functions that have no state.
template <std::int64_t Most, class P, class F>
struct while_of_arrays {
    template <class Init>
    constexpr auto operator()(Init const& init) const {
        return delivered(while_of<Most>(P{}, F{}, init));
    }
};
template <int Most, class P, class F>
struct rounds_of_arrays {
    template <class Init>
    constexpr auto operator()(Init const& init) const {
        return delivered(while_in_rounds<Most>(P{}, F{}, init));
    }
};
template <std::int64_t Most, class P, class F, class Init>
constexpr auto any_while(P const& keep_going, F const& f, Init const& init) {
    using Condition = plain_function<P>;
    using Step = plain_function<F>;
    if constexpr (holds_expressions<Init>()) return while_of<Most>(as_plain(keep_going), as_plain(f), init);
    else if constexpr (is_stateless<Condition>() && is_stateless<Step>())
        return evaluate(while_of_arrays<Most, Condition, Step>{}, init);
}
}  // namespace detail::transform_part

/// c = step(c) as long as keep_going(c) holds, starting from init, which may be a tree: the first c for which it does
/// not. Any number of steps; there are derivatives in forward mode only. Under vmap each item has steps of its own, and
/// the loop ends with the last. The functions may capture symbols of the function that while_loop is called in; on
/// arrays they have no captures.
template <class P, class F, class Init>
constexpr auto while_loop(P const& keep_going, F const& step, Init const& init) {
    if constexpr (!accepts(because<detail::functions_refused<P, F>>{}))
        return detail::some_expression(keep_going, step, init);
    else return delivered(detail::any_while<detail::unbounded_steps>(keep_going, step, init));
}
/// The same with at most `Most` steps: where keep_going holds after them, convergence_error is thrown. In reverse mode
/// the carries of all steps are kept.
template <int Most, class P, class F, class Init>
constexpr auto while_loop(P const& keep_going, F const& step, Init const& init) {
    static_assert(Most >= 0, "while_loop<max>: not negative");
    if constexpr (!accepts(because<detail::functions_refused<P, F>>{}))
        return detail::some_expression(keep_going, step, init);
    else return delivered(detail::any_while<(Most < 0 ? 0 : Most)>(keep_going, step, init));
}
/// The same, but that in reverse mode about twice the square root of `Most` carries are kept, and steps are computed
/// twice.
template <int Most, class P, class F, class Init>
constexpr auto checkpointed_while(P const& keep_going, F const& step, Init const& init) {
    static_assert(Most >= 1, "checkpointed_while<max>: at least one step");
    constexpr int most = Most < 1 ? 1 : Most;
    using Condition = detail::plain_function<P>;
    using Step = detail::plain_function<F>;
    if constexpr (detail::holds_expressions<Init>())
        return delivered(detail::while_in_rounds<most>(detail::as_plain(keep_going), detail::as_plain(step), init));
    else if constexpr (detail::is_stateless<Condition>() && detail::is_stateless<Step>())
        return evaluate(detail::rounds_of_arrays<most, Condition, Step>{}, init);
}

}  // namespace tapeless
