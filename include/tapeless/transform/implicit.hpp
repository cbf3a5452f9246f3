// SPDX-License-Identifier: MIT
#pragma once
// Implicit functions: an unknown, the equation it solves, and how it is found become one call, which is differentiated
// by the equation.

#include <tapeless/functional/parameter.hpp>
#include <tapeless/graph/forward.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/quantifiers.hpp>
#include <tapeless/transform/options.hpp>
#include <tapeless/transform/while_loop.hpp>

namespace tapeless {

/// How an equation is solved. `tolerance`: the last correction, relative to 1 + |x|; 0: what suits the method and the
/// element type. `max_steps`: 0 is 100, and 1000 for fixed_point. Where it does not converge convergence_error is
/// thrown, and with `quiet` the result is NaN; under vmap it is NaN for that item.
struct solver {
    double tolerance = 0;
    int max_steps = 0;
    bool quiet = false;
};

/// Refuses an equation that is not like the unknown.
template <class Unknown, class Residual>
struct equation_is_not_like_the_unknown {
    static_assert(
        sizeof(Unknown) == 0,
        "root and fixed_point: f(x, args...) gives back what is like x: the same tree, element types and shapes");
};
/// Refuses an objective that is no number.
template <class Objective>
struct objective_is_no_number {
    static_assert(sizeof(Objective) == 0, "argmin: f(x, args...) is one floating-point number");
};
/// Refuses unknowns of different element types, and integers.
template <class Unknown>
struct unknowns_are_not_of_one_floating_type {
    static_assert(sizeof(Unknown) == 0, "root, fixed_point and argmin: the unknowns are all float, or all double");
};

namespace detail {

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
        detail::raise(convergence_error(std::string(name) + ": no convergence after " + std::to_string(steps) +
                                            " steps, the residual is " + std::to_string(residual),
                                        name, steps, residual));
    }
};

// ---- unknowns ------------------------------------------------------------------------------------------------------

template <class... S>
struct joined_symbol;
template <class S>
struct joined_symbol<S> {
    using type = S;
};
template <class First, class... S>
    requires(sizeof...(S) > 0)
struct joined_symbol<First, S...> {
    static constexpr bool is_static = First::shape_type::is_static && (S::shape_type::is_static && ...);
    static constexpr auto find() {
        if constexpr (is_static)
            return std::type_identity<
                symbol<typename First::value_type,
                       static_cast<int>(First::shape_type::static_size() + (S::shape_type::static_size() + ...))>>{};
        else return std::type_identity<symbol<typename First::value_type, dyn>>{};
    }
    using type = typename decltype(find())::type;
};
template <class Tuple>
struct joined_symbols;
template <class... S>
struct joined_symbols<std::tuple<S...>> : joined_symbol<S...> {
    using first = typename nth_type<0, S...>::type::value_type;
    static constexpr bool fits = std::floating_point<first> && (std::same_as<first, typename S::value_type> && ...);
};

/// All arrays of a tree as one: itself where there is one, otherwise their elements one after the other.
constexpr int emit_joined(builder& b, list<int> const& nodes) {
    if (nodes.size() == 1) return nodes[0];
    list<int> parts;
    for (int n : nodes) {
        dims const d = with_axes(dims{}, size_of_shape(b, dims(b.shape_of(n))));
        int const part = emit_reshape(b, n, d);
        // a number stays one under any shape: here it has to be an array
        parts.push(b.shape_of(part).rank == 1 ? part
                                              : emit_with<expand_op>(b, part, attribute::labelled(-1, b.intern(d))));
    }
    return emit_concat(b, parts.items, parts.size(), 0);
}
/// And back.
template <class Tree>
constexpr Tree split_unknown(builder& b, Tree like, int z) {
    list<int> nodes;
    list_nodes(like, nodes);
    if (nodes.size() == 1) return tree_of_nodes(like, list<int>(1, z));
    std::int64_t start = 0;
    for (int& n : nodes) {
        dims const d = b.shape_of(n);
        std::int64_t const length = size_of_shape(b, d);
        n = emit_reshape(b, emit_leading(b, z, start, length), d);
        start = b.sum(start, length);
    }
    return tree_of_nodes(like, nodes);
}

template <class Z>
constexpr Z as_parameter(builder& b, Z const& z) {
    return Z(&b, emit_with<parameter_op>(b, z.id, attribute::labelled(++b.barrier)));
}

/// What f(x, args...) returns for the unknown as one array.
template <class F, class Tree, class Arguments>
struct function_of_unknown {
    builder& graph;
    F const& f;
    Tree const& like;
    Arguments const& arguments;

    template <class Z>
    constexpr auto returned(Z const& z) const {
        return body_results<F>(
            std::apply([&](auto const&... a) { return f(split_unknown(graph, like, z.id), a...); }, arguments));
    }
    /// The same as one array, where it is like the unknown.
    template <class Z>
    constexpr Z value(Z const& z) const {
        auto const r = returned(z);
        if constexpr (!same_trees<flat_symbols_t<Tree>, flat_symbols_t<decltype(r)>>) {
            refuse(because<equation_is_not_like_the_unknown<Tree, std::remove_const_t<decltype(r)>>>{});
            return z;
        } else {
            list<int> nodes, wanted;
            list_nodes(r, nodes);
            list_nodes(like, wanted);
            match_shapes(graph, nodes, wanted);
            return Z(&graph, emit_joined(graph, nodes));
        }
    }
};

// ---- methods: what an unknown is found by, and the equation that it solves then
// ---------------------------------------------

/// The result of a search, its status, and how far it is from solving the equation.
template <class Z, class Mask, class T>
struct search_end {
    Z z;
    Mask found;  ///< of all elements, or of each
    symbol<std::int32_t> steps;
    symbol<T> residual;
};

/// The correction that is left is the square of the last, or about as large.
template <class T>
constexpr double default_tolerance(bool squares) {
    constexpr double eps = std::numeric_limits<T>::epsilon(), root = sizeof(T) == 8 ? 0x1p-26 : 0x1.6a09e667f3bcdp-12;
    return squares ? root : 512 * eps;
}

/// Of each element by itself, or of all together.
template <bool Lanes, class E>
constexpr auto size_of_element(E const& e) {
    if constexpr (Lanes) return let(abs(e));
    else return let(sqrt(sum(square(e))));
}
template <class M>
constexpr auto any_of(M const& m) {
    if constexpr (M::rank == 0) return m;
    else return any(m);
}
template <class M>
constexpr auto all_of(M const& m) {
    if constexpr (M::rank == 0) return m;
    else return all(m);
}
template <bool Lanes, class Z, class S>
constexpr auto is_small(Z const& z, S const& change, double tolerance) {
    constexpr double most = std::numeric_limits<typename Z::value_type>::max();
    auto const size = size_of_element<Lanes>(z);
    return let(size_of_element<Lanes>(change) <= tolerance * (1.0 + size) && size <= most);
}
template <bool Lanes, class Z, class S>
constexpr auto is_large(Z const& z, S const& change, double tolerance) {  // neither, where it is NaN
    return let(size_of_element<Lanes>(change) > tolerance * (1.0 + size_of_element<Lanes>(z)));
}

/// Newton's method. A step that does not bring |r| down is halved, until that is of no use.
struct newton_method {
    static constexpr fixed_string name = "root";
    template <bool Lanes, class Z, class Problem>
    static constexpr auto search(builder& b, Problem const& p, Z const& first, solver const& o) {
        using T = typename Z::value_type;
        double const tolerance = o.tolerance > 0 ? o.tolerance : default_tolerance<T>(true);
        int const most = o.max_steps > 0 ? o.max_steps : 100;
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        auto at = [&](Z const& where_to) {
            Z const z = as_parameter(b, where_to), r = p.residual(z);
            linear_system system(b, &emit_solved<typename Z::value_type>, Lanes, r.id, z.id, &differentiate);
            return std::make_tuple(Z(&b, system.solve(r.id, false, is_quiet)), size_of_element<Lanes>(r));
        };
        auto const more = [&](auto const& s) {
            return any_of(is_large<Lanes>(std::get<0>(s), std::get<1>(s), tolerance)) && std::get<3>(s) < most;
        };
        auto const step = [&](auto const& now) {
            auto const& [z, s, size, k] = now;
            Z const trial = let(z - s);
            auto const [next, less] = at(trial);
            auto const better = let(less < size);
            auto const half = let(0.5 * s);
            Z const change = let(where(better, next, where(is_small<Lanes>(z, half, tolerance), nan, half)));
            if constexpr (!Lanes) {
                return std::make_tuple(let(where(better, trial, z)), change, let(where(better, less, size)), k + 1);
            } else {
                auto const done = is_small<Lanes>(z, s, tolerance);
                return std::make_tuple(let(where(better && !done, trial, z)), let(where(done, s, change)),
                                       let(where(better && !done, less, size)), k + 1);
            }
        };
        symbol<std::int32_t> const zero(&b, b.constant(0, dtype::i32));
        auto const start = at(first);
        auto const end =
            while_of<unbounded_steps>(more, step, std::make_tuple(first, std::get<0>(start), std::get<1>(start), zero));
        auto const& [z, s, size, k] = end;
        auto const found = is_small<Lanes>(z, s, tolerance);
        symbol<T> const left = let(sqrt(sum(square(where(found, 0.0, size)))));
        return search_end<Z, std::remove_const_t<decltype(found)>, T>{let(z - s), found, k, left};
    }
    template <class... T>
    struct problem : function_of_unknown<T...> {
        template <class Z>
        constexpr Z residual(Z const& z) const {
            return this->value(z);
        }
    };
};

/// x = f(x), again and again.
struct repetition {
    static constexpr fixed_string name = "fixed_point";
    template <bool Lanes, class Z, class Problem>
    static constexpr auto search(builder& b, Problem const& p, Z const& first, solver const& o) {
        using T = typename Z::value_type;
        double const tolerance = o.tolerance > 0 ? o.tolerance : default_tolerance<T>(false);
        int const most = o.max_steps > 0 ? o.max_steps : 1000;
        auto const more = [&](auto const& s) {
            return any_of(is_large<Lanes>(std::get<0>(s), std::get<1>(s), tolerance)) && std::get<2>(s) < most;
        };
        auto const step = [&](auto const& now) {
            Z const z = let(std::get<0>(now) + std::get<1>(now));
            return std::make_tuple(z, p.residual(z), std::get<2>(now) + 1);
        };
        symbol<std::int32_t> const zero(&b, b.constant(0, dtype::i32));
        auto const end = while_of<unbounded_steps>(more, step, std::make_tuple(first, p.residual(first), zero));
        auto const& [z, change, k] = end;
        auto const found = is_small<Lanes>(z, change, tolerance);
        symbol<T> const left = let(sqrt(sum(square(where(found, 0.0, change)))));
        return search_end<Z, std::remove_const_t<decltype(found)>, T>{let(z + change), found, k, left};
    }
    template <class... T>
    struct problem : function_of_unknown<T...> {
        template <class Z>
        constexpr Z residual(Z const& z) const {
            return let(this->value(z) - z);
        }
    };
};

/// Newton's method on the gradient, with so much more on the diagonal of the Hessian that the objective becomes
/// smaller.
struct descent {
    static constexpr fixed_string name = "argmin";
    template <class... T>
    struct problem : function_of_unknown<T...> {
        template <class Z>
        constexpr auto objective(Z const& z) const {
            auto const y = this->returned(z);
            using Y = std::remove_const_t<decltype(y)>;
            if constexpr (!parameter_like<Y>) {
                refuse(because<objective_is_no_number<Y>>{});
                return symbol<typename Z::value_type>(&this->graph,
                                                      this->graph.constant(0, dtype_of<typename Z::value_type>()));
            } else return y;
        }
        template <class Z>
        constexpr Z residual(Z const& where_to) const {
            builder& b = this->graph;
            Z const z = as_parameter(b, where_to);
            list<int> wanted;
            wanted.push(z.id);
            int const g =
                differentiate(b, objective(z).id, wanted, b.constant(1, dtype_of<typename Z::value_type>()))[0];
            return Z(&b, emit_whole(b, g, z.id));
        }
    };
    template <bool Lanes, class Z, class Problem>
    static constexpr auto search(builder& b, Problem const& p, Z const& first, solver const& o) {
        using T = typename Z::value_type;
        double const tolerance = o.tolerance > 0 ? o.tolerance : default_tolerance<T>(true);
        int const most = o.max_steps > 0 ? o.max_steps : 100;
        constexpr double noise = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
        auto done = [&](auto const& z, auto const& s, auto const& more) {
            return let(is_small<false>(z, s, tolerance) && more == 0.0);
        };
        /// From z: the correction, the gradient, and the addition to the diagonal, given the last one and whether that
        /// was good.
        auto at = [&](Z const& where_to, auto const& better, auto const& last) {
            Z const z = as_parameter(b, where_to), g = p.residual(z);
            linear_system system(b, &emit_solved<typename Z::value_type>, Lanes, g.id, z.id, &differentiate);
            node_ref<T> const h(&b, system.matrix);
            symbol<T> const scale(&b, let(sqrt(sum(square(h)))).id);
            symbol<T> const more = let(where(better, where(last > 1e-6 * scale, 0.1 * last, 0.0),
                                             where(last > 0.0, 10.0 * last, 1e-3 * scale)));
            system.add_to_diagonal(more.id);
            return std::make_tuple(Z(&b, system.solve(g.id, false, is_quiet)), size_of_element<false>(g), more);
        };
        auto const going = [&](auto const& now) {
            return !done(std::get<0>(now), std::get<1>(now), std::get<4>(now)) && std::get<5>(now) < most;
        };
        auto const step = [&](auto const& now) {
            auto const& [z, s, y, size, last, k] = now;
            Z const trial = let(z - s);
            auto const smaller = p.objective(trial);
            auto const better = let(smaller <= y + noise * (1.0 + abs(y)));
            Z const next = let(where(better, trial, z));
            auto const [change, steepness, more] = at(next, better, last);
            return std::make_tuple(next, change, let(where(better, smaller, y)), steepness, more, k + 1);
        };
        symbol<std::int32_t> const zero(&b, b.constant(0, dtype::i32));
        symbol<T> const nothing(&b, b.constant(0, dtype_of<T>()));
        auto const [change, steepness, more] = at(first, nothing == 0.0, nothing);
        auto const end = while_of<unbounded_steps>(
            going, step, std::make_tuple(first, change, p.objective(first), steepness, more, zero));
        auto const& [z, s, y, size, last, k] = end;
        auto const found = done(z, s, last);
        return search_end<Z, std::remove_const_t<decltype(found)>, T>{let(z - s), found, k, size};
    }
};

// ---- the call ------------------------------------------------------------------------------------------------------

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
    using Flat = joined_symbols<flat_symbols_t<Guess>>;
    if constexpr (!Flat::fits) {
        refuse(because<unknowns_are_not_of_one_floating_type<Guess>>{});
        return guess;
    } else {
        using Z = typename Flat::type;
        int const first = b.nodes.size();
        list<int> inputs, operands, captured, outputs, equation, leaves;
        list_nodes(guess, leaves);
        operands.push(emit_joined(b, leaves));
        inputs.push(emit_placeholder(b, dims(b.shape_of(operands[0])), dtype_of<typename Z::value_type>()));
        std::tuple<decltype(bind_argument(b, a, inputs, operands))...> const arguments{
            bind_argument(b, a, inputs, operands)...};
        auto const problem = make(arguments);
        Z const z(&b, inputs[0]);
        equation.push(problem.residual(z).id);
        bool const lanewise = is_lanewise(b, equation[0], z.id);
        outputs.push(lanewise ? emit_search<Method, true>(b, problem, z, o)
                              : emit_search<Method, false>(b, problem, z, o));
        find_captured(b, inputs, outputs, first, captured);
        find_captured(b, inputs, equation, first, captured);
        call_info c;
        c.name = Method::name.text;
        c.form = call_form::implicit;
        c.lanewise = lanewise;
        c.solver = &emit_solved<typename Z::value_type>;
        c.body[1] = cut_body(b, inputs, captured, equation);
        c.body[0] = cut_body(b, inputs, captured, outputs);
        for (int k : captured) operands.push(emit_operand(b, k));
        c.leads = list<int>(operands.size(), 0);
        c.results.push({result_form::plain, 0});
        int const x = emit_result(b, emit_call(b, c, operands), 0, dims(b.shape_of(operands[0])),
                                  dtype_of<typename Z::value_type>());
        return split_unknown(b, guess, x);
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
    return implicit_on_symbols<Method>(*b, make, o, unknown, named(a)...);
}

/// The function that users call, by what it is found by.
template <class Method, class F>
struct implicit_on_arrays {
    template <class Guess, class... A>
    constexpr auto operator()(Guess const& guess, A const&... a) const {
        return solve_implicit<Method>(F{}, solver{}, guess, a...);
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

}  // namespace detail

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
constexpr auto argmin(F const& f, Guess const& guess, A const&... a) { return detail::lowest_point(f, guess, a...); }
/// The same with options in braces, after up to three arguments.
template <class F, class Guess>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, solver const& o) { return detail::lowest_point(f, guess, o); }
template <class F, class Guess, class A>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, A const& a, solver const& o) {
    return detail::lowest_point(f, guess, a, o);
}
template <class F, class Guess, class A, class B>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, A const& a, B const& b, solver const& o) {
    return detail::lowest_point(f, guess, a, b, o);
}
template <class F, class Guess, class A, class B, class C>
    requires(!expression<F>)
constexpr auto argmin(F const& f, Guess const& guess, A const& a, B const& b, C const& c, solver const& o) {
    return detail::lowest_point(f, guess, a, b, c, o);
}

}  // namespace tapeless
