// SPDX-License-Identifier: MIT
#pragma once
// Operations with loops of their own: `run` on arrays in memory in the place of `eval` on batches. The rest of an
// operation (name, shape, derivative rule) is as everywhere, and what reads the result is fused as everywhere.

#include <tapeless/kernels/write_back.hpp>
#include <tapeless/ops/movement.hpp>

namespace tapeless::detail::inline ops_part {

/// Whether an argument, or a constant, is contiguous for certain.
constexpr bool is_dense(builder const& b, node const& given) {
    return given.kind == node_kind::table || b.dense.empty() || b.dense.items[given.source];
}

/// Whether a node is an argument in one piece, cut into other axes: the same memory.
constexpr bool is_argument_reshaped(builder const& b, node const& n) {
    if (n.kind != node_kind::view || n.op->form != view_form::reshape) return false;
    node const& x = b.nodes.items[n.in[0]];
    return x.is_given() && is_dense(b, x);
}
/// Whether a node is some elements under other axes, or stretched: a loop over arrays walks its operand in place.
constexpr bool is_walked_in_place(builder const& b, node const& n) {
    if (n.kind == node_kind::view) return n.op->form != view_form::reshape || is_argument_reshaped(b, n);
    return n.is_stretched();
}
/// The array behind an operand of an operation with a loop of its own.
constexpr int array_behind(builder const& b, int id) {
    while (is_walked_in_place(b, b.nodes.items[id])) id = b.nodes.items[id].in[0];
    return id;
}

/// The operand as an array in memory: what is neither an argument, a number nor computed gets a node that stores it.
constexpr int in_memory(builder& b, int id) {
    node const& n = b.nodes.items[array_behind(b, id)];
    if (n.is_given() || n.kind == node_kind::constant || (n.has_op() && n.kind != node_kind::view)) return id;
    return emit_with<expand_op>(b, id, attribute::labelled(-1, b.nodes.items[id].shape));
}
/// The node with all operands in memory, or -1 where they are.
constexpr int emit_in_memory(builder& b, node const& n) {
    node m = n;
    bool changed = false;
    for (int j = 0; j < n.arity(); ++j) {
        m.in[j] = in_memory(b, n.in[j]);
        changed = changed || m.in[j] != n.in[j];
    }
    return changed ? b.emit(*n.op, m) : -1;
}
/// An operation that is done to each item: its shape is known, and nothing is looked for but operands that are not in
/// memory.
constexpr int emit_for_items(builder& b, node n) {
    for (int j = 0; j < n.arity() && n.kind == node_kind::custom_loop; ++j) n.in[j] = in_memory(b, n.in[j]);
    return b.push(n);
}

/// Whether a value is an argument or a constant, perhaps under other axes or names: run time can look at it before
/// anything else happens.
constexpr bool is_handed_in(builder const& b, int id) {
    while (is_walked_in_place(b, b.nodes.items[id]) || b.nodes.items[id].kind == node_kind::alias)
        id = b.nodes.items[id].in[0];
    return b.nodes.items[id].is_given();
}

/// Base of an operation with a loop of its own. A derived struct brings
///   template <class... T> static void run(strided const* in, strided const& out, attribute const&)   on arrays,
///   static constexpr dims shape(builder&, node const&), and pullback(g, y, x..., attribute const&) as everywhere.
/// With further results (see part_op) or scratch it brings instead
///   template <class... T> static void run(strided const* in, strided const* out, attribute const&, void* scratch),
/// where a result that nothing needs has no data, and `template <class... T> static constexpr int scratch_element`,
/// the size of an element of scratch; the shape in the attribute says how many there are. Where its axes count from
/// the right, and operands with more leading axes are only more of the same, `static constexpr bool
/// takes_leading_axes = true` says so; otherwise it is run item by item where there are many (see graph/batch.hpp),
/// but for the cases that of_all(builder&, node const&, unsigned) knows how to do. Threads share it where
///   static constexpr loop_cut cut(attribute const&, int rank, int operand)
/// says along which axes, where the result and the first operand have these ranks; and its items, unless `static
/// constexpr bool runs_alone = true`.
template <fixed_string Name>
struct custom_loop {
    static constexpr auto name = Name;
    static constexpr node_kind kind = node_kind::custom_loop;
    static constexpr bool has_axes = true;
    template <class... T>
    using result = typename nth_type<0, T...>::type;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return emit_in_memory(b, n);
    }
};

/// Op with its results pooled, if there is such a loop.
template <class Op>
struct pooled_of {
    using type = void;
};
template <class Op>
    requires requires { typename Op::pooled; }
struct pooled_of<Op> {
    using type = typename Op::pooled;
};
/// Op with a write-back (graph/write_back.hpp): its last operand is a number, or one for each index along an axis of
/// the result, which is added before anything is stored; below 0 there may be 0. Op::run_with takes what is to be done,
/// and Op::operands says how many operands it has.
template <class Op>
struct finished_op : custom_loop<Op::name> {
    static constexpr bool differentiable = false, is_finished = true;
    using pooled = typename pooled_of<Op>::type;
    template <class T, class... U>
    static constexpr int scratch_of() {
        if constexpr (requires { Op::template scratch_element<T, U...>; }) return Op::template scratch_element<T, U...>;
        else return 0;
    }
    template <class T, class... U>
    static constexpr int scratch_element = scratch_of<T, U...>();
    static constexpr bool scratch_by_offset = true;
    static constexpr int const* parameters = Op::parameters;
    static constexpr bool pools_pairs = requires { requires Op::pools_pairs; };
    static constexpr dims shape(builder& b, node const& n) { return Op::shape(b, n); }
    static constexpr loop_cut cut(attribute const& at, int rank, int operand) {
        loop_cut c = Op::cut(at, rank, operand);
        c.axis[Op::operands] = -1;  // the numbers are the same for all
        return c;
    }
    template <class T>
    static write_back<T> end_of(strided const& number, attribute const& at) {
        write_back<T> end{number.as<T const>(), number.stride[Op::finished_axis]};  // 0 where there is one for all
        if (at.rectifies()) end.least = 0;
        return end;
    }
    template <class T, class... U>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        Op::template run_with<T>(in, out, scratch, end_of<T>(in[Op::operands], at));
    }
};

template <int Part, class Op, class T>
struct part_op;
/// The same where the largest of each two by two results are wanted (graph/pooled_results.hpp): that is its result, and
/// what becomes of it as above; result 1 are the results themselves, where something needs them. There is room for
/// `passing_results` more.
template <class Op>
struct pooled_op_of : finished_op<Op> {
    static constexpr bool pools_results = true;
    using pooled = void;
    template <class T>
    using kept = part_op<1, pooled_op_of, T>;
    template <class T, class... U>
    static void run(strided const* in, strided const* out, attribute const& at, void* scratch) {
        Op::template run_pooled<T>(in, out, scratch, finished_op<Op>::template end_of<T>(in[Op::operands], at),
                                   at.is_of_all());
    }
};

/// The cut of an operation whose first operand has an axis that goes with the first of the results.
constexpr loop_cut cut_along(int axis, std::int64_t least, std::int64_t grain = 1) {
    loop_cut c;
    c.axis[0] = axis;
    c.least = least;
    c.grain = grain;
    return c;
}
/// Of one that works along an axis, counted from the right: rows beside it are independent.
constexpr loop_cut cut_beside(std::int64_t axis, int rank, std::int64_t least) {
    return axis + 1 < rank ? cut_along(0, least) : loop_cut{};
}

/// Result Part (1, 2, ...) of Op, an operation with a loop of its own, which is the operand; the attribute holds its
/// shape. Nothing flows back through it, or, where Op::refusal names a function that says so, no derivative is there.
template <int Part, class Op, class T>
struct part_op {
    static constexpr auto name = Op::name;
    static constexpr node_kind kind = node_kind::custom_loop;
    static constexpr int part = Part;
    static_assert(Part > 0 && Part < max_parts);
    template <class...>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) { return b.shapes.items[n.attr.shape]; }
    static constexpr auto pullback(auto g, auto, auto) {
        if constexpr (requires { Op::refusal; }) g.graph->refuse_later(Op::refusal);
        return cotangents(no_cotangent{});
    }
};
template <int Part, class Op, class T, class First>
constexpr node_ref<T> emit_part(node_ref<First> const& of, int shape) {
    return {of.graph,
            operation_table<part_op<Part, Op, T>, First>::emit(*of.graph, attribute{.shape = shape}, {of.id})};
}

/// Op on operands of any element types, with a result of shape Shape.
template <class Op, class Shape, class... A>
constexpr expr<Op, typename Op::template result<typename A::value_type...>, Shape, A...> apply_custom_loop(
    attribute at, A const&... a) {
    return expr<Op, typename Op::template result<typename A::value_type...>, Shape, A...>(at, a...);
}
/// The same in a derivative rule, by the numbers of the nodes.
template <class Op, class... T>
constexpr node_ref<typename Op::template result<T...>> emit_custom_loop(builder& b, attribute at,
                                                                        std::array<int, sizeof...(T)> in) {
    return {&b, operation_table<Op, T...>::emit(b, at, in)};
}
}  // namespace tapeless::detail::ops_part
