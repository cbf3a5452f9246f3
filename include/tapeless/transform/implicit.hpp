// SPDX-License-Identifier: MIT
#pragma once
// Implicit functions: an unknown, the equation it solves, and how it is found become one call, which is differentiated
// by the equation.

#include <cstdio>

#include <tapeless/transform/search.hpp>

namespace tapeless {
namespace detail::inline transform_part {

/// Stops where an iteration has not converged: its flag, the steps it took, and the residual. For many items nothing is
/// thrown.
template <fixed_string Name>
struct convergence_op : custom_loop<"converged"> {
    static constexpr bool differentiable = false;
    template <class...>
    using result = std::int32_t;
    static constexpr dims shape(builder&, node const&) { return {}; }
    static constexpr int of_all(builder& b, node const& n, unsigned leading) {
        int j = 0;
        while (!(leading >> j & 1u)) ++j;
        return emit_expand(b, b.constant(1, dtype::i32), with_leading(b, b.shape_of(n.in[j]).extent[0], dims{}));
    }
    template <class, class, class T>
    static void run(strided const* in, strided const& out, attribute const&) {
        if (*in[0].as<std::int32_t const>() == 0)
            throw_not_converged(Name.text, *in[1].as<std::int32_t const>(), static_cast<double>(*in[2].as<T const>()));
        *out.as<std::int32_t>() = 1;
    }
    [[noreturn, gnu::noinline, gnu::cold]] static void throw_not_converged(char const* name, std::int64_t steps,
                                                                           double residual) {
        char left[32];
        std::snprintf(left, sizeof left, "%.3g", residual);
        detail::raise(convergence_error(std::string(name) + ": no convergence after " + std::to_string(steps) +
                                            " steps, the residual is " + left,
                                        name, steps, residual));
    }
};

/// The search and its verdict.
template <class Method, bool Lanes, class Z, class Problem>
constexpr int emit_search(builder& b, Problem const& problem, Z const& first, solver const& o) {
    auto const end = Method::template search<Lanes>(b, problem, first, o);
    using T = typename Z::value_type;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    auto mask = end.found;
    if (!o.quiet) {
        int const flag = let(cast<std::int32_t>(all_of(end.found))).id;
        auto const good = emit_custom_loop<convergence_op<Method::name>, std::int32_t, std::int32_t, T>(
            b, attribute{}, {flag, end.steps.id, end.residual.id});
        mask = let(mask && symbol<std::int32_t>(&b, good.id) != 0);
    }
    return let(where(mask, end.z, nan)).id;
}

/// The unknown that solves residual(x) = 0, like the guess: `make(arguments)` is the problem as one of one array.
template <class Method, class Make, class Guess, class... A>
constexpr auto implicit_on_symbols(builder& b, Make const& make, solver const& o, Guess const& guess, A const&... a) {
    using Z = typename joined_symbols<flat_symbols_t<Guess>>::type;
    int const first = b.nodes.size();
    list<int> inputs, operands, leaves;
    list_nodes(guess, leaves);
    operands.push(emit_joined(b, leaves));
    inputs.push(emit_placeholder(b, dims(b.shape_of(operands[0])), dtype_of<typename Z::value_type>()));
    std::tuple<decltype(bind_argument(b, a, inputs, operands))...> const arguments{
        bind_argument(b, a, inputs, operands)...};
    auto const problem = make(arguments);
    Z const z(&b, inputs[0]);
    int const equation = problem.residual(z).id;
    call_info c;
    c.name = Method::name.text;
    bool const lanewise = is_number<Z> || is_lanewise(b, equation, z.id);
    static_cast<system_solver&>(c) = solver_of<Z>(b, z.id, lanewise, o);
    int found = -1;
    if constexpr (is_number<Z>) found = emit_search<Method, true>(b, problem, z, o);
    else if (lanewise) found = emit_search<Method, true>(b, problem, z, o);
    else found = emit_search<Method, false>(b, problem, z, o);
    return split_unknown(b, guess, emit_implicit(b, c, inputs, operands, found, equation, first));
}

/// Why f of an unknown and of arguments says nothing of the unknown.
template <class Method, class F, class Unknown, class... A>
constexpr auto why_not_implicit() {
    if constexpr (!joined_symbols<flat_symbols_t<Unknown>>::fits)
        return because<unknowns_are_not_of_one_floating_type<Unknown>>{};
    else if constexpr (constexpr auto why = why_not_on<F, Unknown, A...>(); is_reason<decltype(why)>) return why;
    else {
        using R = std::remove_cvref_t<decltype(body_results<F>(
            std::declval<builder&>(),
            std::declval<F const&>()(std::declval<Unknown const&>(), std::declval<A const&>()...)))>;
        return because<typename Method::template result_refused<Unknown, R>>{};
    }
}
template <class Method, class F, class Guess, class... A>
constexpr auto solve_implicit(F const& f, solver const& o, Guess const& guess, A const&... a) {
    builder* b = nullptr;
    find_graph(guess, b);
    (find_graph(a, b), ...);
    auto const unknown = as_symbols<typename number_type<Guess, A...>::type>(*b, guess);
    auto const make = [&](auto const& arguments) {
        return typename Method::template problem<F, std::remove_const_t<decltype(unknown)>,
                                                 std::remove_cvref_t<decltype(arguments)>>{*b, f, unknown, arguments};
    };
    using Unknown = std::remove_const_t<decltype(unknown)>;
    constexpr auto why =
        why_not_implicit<Method, F, Unknown, bound_argument<std::remove_cvref_t<decltype(named(a))>>...>();
    if constexpr (is_reason<decltype(why)>) return tapeless::instead_of(why, unknown);
    else return implicit_on_symbols<Method>(*b, make, o, unknown, named(a)...);
}

/// The function that users call, by what it is found by.
template <class Method, class F>
struct implicit_on_arrays {
    template <class Guess, class... A>
    constexpr auto operator()(Guess const& guess, A const&... a) const {
        return delivered(solve_implicit<Method>(F{}, solver{}, guess, a...));
    }
};
template <class Method>
struct implicit_function : options_last<implicit_function<Method>, solver> {
    template <class F, class Guess, class... A>
    static constexpr auto call(solver const& o, F const& f, Guess const& guess, A const&... a) {
        using G = plain_function<F>;
        if constexpr (holds_expressions<Guess>() || (holds_expressions<A>() || ...)) {
            return solve_implicit<Method>(as_plain(f), o, guess, a...);
        } else if constexpr (is_stateless<G>()) {
            return evaluate(implicit_on_arrays<Method, G>{}, guess, a...);
        }
    }
};
inline constexpr implicit_function<descent> lowest_point{};

/// Derived::on_symbols(options, f, from, to, args...) as a function of arrays and of symbols: integrals.
template <class Derived, class Options>
struct integral : options_last<Derived, Options> {
    template <class F, class From, class To, class... A>
    static constexpr auto call(Options const& o, F const& f, From const& from, To const& to, A const&... a) {
        using G = plain_function<F>;
        if constexpr (holds_expressions<From>() || holds_expressions<To>() || (holds_expressions<A>() || ...))
            return Derived::on_symbols(o, as_plain(f), from, to, named(a)...);
        else if constexpr (is_stateless<G>()) return evaluate(on_arrays<G>{}, from, to, a...);
    }

private:
    template <class F>
    struct on_arrays {
        template <class... X>
        constexpr auto operator()(X const&... x) const {
            return delivered(Derived::on_symbols({}, F{}, x...));
        }
    };
};

}  // namespace detail::transform_part

/// x with f(x, args...) = 0, found by Newton's method from a guess, which is like x: an array, a number or a tree of
/// them. Where each element of f depends on that element of x alone there is no matrix. Derivatives are those of the
/// implicit function: they cost one linear system, and nothing flows to the guess. f may capture symbols of the
/// function that root is called in; on arrays it has no captures. Options come last: root(f, guess, args...,
/// {.tolerance = 1e-6}); after more than five arguments write solver{...}.
inline constexpr detail::implicit_function<detail::newton_method> root{};
/// x with f(x, args...) = x, found by putting f(x) in the place of x again and again. As root otherwise.
inline constexpr detail::implicit_function<detail::repetition> fixed_point{};

/// x where f(x, args...), a number, is smallest nearby, found by Newton's method from a guess; where that leads upwards
/// it turns to the gradient (Levenberg). As root otherwise: the equation is that the gradient is 0.
template <class F, class Guess, class... A>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, A const&... a) {
    return delivered(detail::lowest_point.found(f, guess, a...));
}
/// The same with options in braces, after up to three arguments.
template <class F, class Guess>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, solver const& o) {
    return delivered(detail::lowest_point.found(f, guess, o));
}
template <class F, class Guess, class A>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, A const& a, solver const& o) {
    return delivered(detail::lowest_point.found(f, guess, a, o));
}
template <class F, class Guess, class A, class B>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, A const& a, B const& b, solver const& o) {
    return delivered(detail::lowest_point.found(f, guess, a, b, o));
}
template <class F, class Guess, class A, class B, class C>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, A const& a, B const& b, C const& c, solver const& o) {
    return delivered(detail::lowest_point.found(f, guess, a, b, c, o));
}

}  // namespace tapeless
