// SPDX-License-Identifier: MIT
#pragma once
// cond: one of two functions, chosen when the program runs; the other one costs nothing.

#include <tapeless/transform/bodies.hpp>
#include <tapeless/transform/grad.hpp>

namespace tapeless {

/// Refuses cond(mask, a, b) of values.
template <class F, class G>
struct cond_chooses_between_functions {
    static_assert(never<F>,
                  "cond(pred, f, g, args...) calls one of two functions: cond(x > 0, [](auto x) { return x; }, "
                  "[](auto x) { return -x; }, x); between values chooses where(mask, a, b)");
};

namespace detail::inline transform_part {
template <class F, class G>
struct either_of {
    [[no_unique_address]] F f{};
    [[no_unique_address]] G g{};

    template <class P, class... A>
    constexpr auto operator()(P const& pred, A const&... a) const {
        builder* b = nullptr;
        find_graph(pred, b);
        (find_graph(a, b), ...);
        int const first = b->nodes.size();
        list<int> inputs, operands, captured, outputs, others;
        operands.push(emit_condition(*b, pred));
        std::tuple<decltype(bind_argument(*b, a, inputs, operands))...> const arguments{
            bind_argument(*b, a, inputs, operands)...};  // in order
        if constexpr (!accepts(why_not_on<F, bound_argument<A>...>()) ||
                      !accepts(why_not_on<G, bound_argument<A>...>())) {
            return in_place_of_result<A...>(*b);
        } else {
            using Plain = std::remove_cvref_t<decltype(detail::with_parts(f, arguments))>;
            // each body looks at its own indices, and nobody else does
            list<index_check> const outside = b->index_checks;
            b->index_checks = {};
            auto const results = body_results<F>(*b, detail::with_parts(f, arguments));
            list<index_check> const checks = b->index_checks;
            b->index_checks = {};
            auto const alternative = body_results<G>(*b, detail::with_parts(g, arguments));
            using R = std::remove_cvref_t<decltype(results)>;
            using S = std::remove_cvref_t<decltype(alternative)>;
            if constexpr (!same_trees<flat_symbols_t<R>, flat_symbols_t<S>>) {
                refuse(because<body_returns_something_else<R, S>>{});
                return results;
            } else {
                refuse_masks(results);
                list_nodes(results, outputs);
                list_nodes(alternative, others);
                match_shapes(*b, others, outputs);
                find_captured(*b, inputs, outputs, first, captured);
                find_captured(*b, inputs, others, first, captured);
                call_info c;
                c.name = "cond";
                c.form = call_form::either;
                c.body[1] = cut_body(*b, inputs, captured, others);
                b->index_checks = checks;
                c.body[0] = cut_body(*b, inputs, captured, outputs);
                b->index_checks = outside;
                for (int k : captured) operands.push(emit_operand(*b, k));
                for (int r = 0; r < outputs.size(); ++r) c.results.push({result_form::plain, r});
                return as_returned<Plain>(take_results(*b, results, emit_call(*b, c, operands), c, result_form::plain));
            }
        }
    }
};
}  // namespace detail::transform_part

/// f(args...) where pred holds, otherwise g(args...): only that one is computed, backwards too. pred is one bool or
/// integer; f and g return trees alike, and may capture symbols of the function that cond is called in. Indices that
/// they use are looked at only where they run.
template <class P, class F, class G, class... A>
constexpr auto cond(P const& pred, F const& f, G const& g, A const&... a) {
    using First = detail::plain_function<F>;
    using Second = detail::plain_function<G>;
    if constexpr (detail::is_value<F> || detail::is_value<G>) {
        return refuse(because<cond_chooses_between_functions<F, G>>{}), pred;
    } else if constexpr (detail::holds_expressions<P>() || (detail::holds_expressions<A>() || ...)) {
        refuse(detail::why_no_condition<P>());
        return detail::either_of<First, Second>{detail::as_plain(f), detail::as_plain(g)}(pred, detail::named(a)...);
    } else if constexpr (detail::is_stateless<First>() && detail::is_stateless<Second>()) {
        return evaluate(detail::either_of<First, Second>{}, pred, a...);
    }
}

}  // namespace tapeless
