// SPDX-License-Identifier: MIT
#pragma once
// The unknown of an equation, an array or a tree of arrays, as one array, and what a function is of that.

#include <tapeless/functional/parameter.hpp>
#include <tapeless/graph/forward.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/transform/while_loop.hpp>

namespace tapeless {

/// Refuses an equation that is not like the unknown.
template <class Unknown, class Residual>
struct equation_is_not_like_the_unknown {
    static_assert(
        never<Unknown>,
        "root and fixed_point: f(x, args...) gives back what is like x: the same tree, element types and shapes");
};
/// Refuses an objective that is no number.
template <class Objective>
struct objective_is_no_number {
    static_assert(never<Objective>, "argmin: f(x, args...) is one floating-point number");
};
/// Refuses unknowns of different element types, and integers.
template <class Unknown>
struct unknowns_are_not_of_one_floating_type {
    static_assert(never<Unknown>,
                  "root, fixed_point, argmin and odeint: the unknowns are all float, or all double");
};

namespace detail::inline transform_part {

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

/// All elements along one axis.
constexpr int emit_flat(builder& b, int id) {
    dims const d = with_axes(dims{}, size_of_shape(b, dims(b.shape_of(id))));
    int const flat = emit_reshape(b, id, d);
    // a number stays one under any shape: here it has to be an array
    return b.shape_of(flat).rank == 1 ? flat : emit_with<expand_op>(b, flat, attribute::labelled(-1, b.intern(d)));
}
/// All arrays of a tree as one: itself where there is one, otherwise their elements one after the other.
constexpr int emit_joined(builder& b, list<int> const& nodes) {
    if (nodes.size() == 1) return nodes[0];
    list<int> parts;
    for (int n : nodes) parts.push(emit_flat(b, n));
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

/// The call of an implicit function: what is found, and the equation that it solves, of the inputs and of what there
/// was before node `first`. The first input is the unknown, in whose place the call gets a guess.
constexpr int emit_implicit(builder& b, call_info c, list<int> const& inputs, list<int> operands, int found,
                            int equation, int first) {
    list<int> captured, outputs, equations;
    outputs.push(found);
    equations.push(equation);
    find_captured(b, inputs, outputs, first, captured);
    find_captured(b, inputs, equations, first, captured);
    c.form = call_form::implicit;
    c.body[1] = cut_body(b, inputs, captured, equations);
    c.body[0] = cut_body(b, inputs, captured, outputs);
    for (int k : captured) operands.push(emit_operand(b, k));
    c.leads = list<int>(operands.size(), 0);
    c.results.push({result_form::plain, 0});
    return emit_result(b, emit_call(b, c, operands), 0, dims(b.shape_of(inputs[0])), b.nodes[inputs[0]].type);
}

/// An unknown that is a number needs no matrix, whatever its equation is.
template <class Z>
inline constexpr bool is_number = is_symbol<Z> && Z::rank == 0;
template <class Z>
constexpr system_solver solver_by_matrix(bool lanewise) {
    system_solver s{.lanewise = lanewise};
    if constexpr (!is_number<Z>) s.solver = &emit_solved<typename Z::value_type>;
    return s;
}

template <class Z>
constexpr Z as_parameter(builder& b, Z const& z) {
    return Z(&b, emit_with<parameter_op>(b, z.id, attribute::labelled(++b.barrier)));
}

/// Why R, which f returns, is no equation for the unknown.
template <class Unknown, class R>
using equation_refused =
    unless<same_trees<flat_symbols_t<Unknown>, flat_symbols_t<R>>, equation_is_not_like_the_unknown<Unknown, R>>;

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
            graph, detail::with_parts([&](auto const&... a) { return f(split_unknown(graph, like, z.id), a...); },
                                      arguments));
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

}  // namespace detail::transform_part
}  // namespace tapeless
