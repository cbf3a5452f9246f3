// SPDX-License-Identifier: MIT
#pragma once
// Contractions: the sum of products of two operands over axes. Every matrix product is one, and so is its derivative.

#include <tapeless/ops/compare.hpp>
#include <tapeless/ops/movement.hpp>

namespace tapeless {
struct sum_op;

namespace detail::inline ops_part {
template <class T>
constexpr int emit_count(builder& b, dims const& d, std::int64_t axes);
template <class T>
constexpr int emit_sum(builder& b, int x, std::int64_t axes) {
    return axes ? operation_table<sum_op, T>::emit(b, attribute{.axes = axes}, {x}) : x;
}

/// The axes (from the right, as a mask) along which a shape varies.
constexpr std::int64_t varying(dims const& d) {
    std::int64_t axes = 0;
    for (int k = 0; k < d.rank; ++k)
        if (d.from_right(k) != 1) axes |= std::int64_t{1} << k;
    return axes;
}

/// sum over `axes` of x * y, the operands side by side as broadcasting wants. Where each operand has an axis of its own
/// that stays it is a matrix product; without, a loop over the larger operand does as well.
struct contract_op {
    static constexpr fixed_string name = "product";
    static constexpr node_kind kind = node_kind::contract;
    static constexpr bool has_axes = true;
    template <class T, class>
    using result = T;
    static constexpr dims shape(builder& b, node const& n) {
        dims d = broadcast(b, dims(b.shape_of(n.in[0])), dims(b.shape_of(n.in[1])));
        for (int k = 0; k < d.rank; ++k)
            if (n.attr.axes >> k & 1) d.extent[d.rank - 1 - k] = 1;
        return d;
    }
    /// dx = sum of g * y over the axes that x lacks, and the same for y: contractions again.
    static constexpr auto pullback(auto g, auto, auto x, auto y, attribute const&);
    template <class T>
    static constexpr int simplify(builder& b, node const& n);
};

/// Whether the sum of x * y over `axes` is a matrix product: something of each alone stays, something of both is
/// summed.
constexpr bool is_matrix_product(dims const& x, dims const& y, std::int64_t axes) {
    std::int64_t const vx = varying(x), vy = varying(y);
    return (vx & ~vy & ~axes) && (vy & ~vx & ~axes) && (vx & vy & axes);
}

/// Where an axis (from the right) of a view's operand went, or -1.
constexpr int axis_under(node const& view, int axis) {
    axis_map const m{view.attr.axes};
    for (int k = 0; k < m.rank() && axis >= 0; ++k)
        if (m.source(k) == axis) return k;
    return -1;
}

/// A unit matrix, written as cast(position == position): the two axes (from the right) along which it counts, or -1.
struct unit_matrix {
    int axis[2]{-1, -1};
    constexpr unit_matrix(builder const& b, int id) {
        node const& view = b.nodes.items[id];
        int const matrix = view.is_axes_view() ? view.in[0] : id;
        if (!is_op(b, matrix, builtin::cast) || !is_op(b, b.nodes.items[matrix].in[0], builtin::equal)) return;
        node const& equal = b.nodes.items[b.nodes.items[matrix].in[0]];
        int from[2]{};
        for (int j = 0; j < 2; ++j) {
            node const& position = b.nodes.items[equal.in[j]];
            from[j] = position.is_axes_view() ? position.in[0] : equal.in[j];
            if (b.nodes.items[from[j]].kind == node_kind::coordinate)
                axis[j] = from[j] == equal.in[j] ? 0 : axis_under(position, 0);
            if (matrix != id) axis[j] = axis_under(view, axis[j]);
        }
        if (from[0] != from[1] || axis[0] == axis[1]) axis[0] = axis[1] = -1;
    }
};
/// The sum over `axes` of x * y where one of them is a unit matrix: the other one, an axis of it renamed. -1 where
/// none is.
constexpr int emit_product_with_unit(builder& b, int x, int y, std::int64_t axes) {
    for (int turn = 0; turn < 4; ++turn) {
        int const other = turn & 2 ? x : y;
        unit_matrix const unit(b, turn & 2 ? y : x);
        int const from = unit.axis[turn & 1], to = unit.axis[1 - (turn & 1)];
        dims const d = b.shape_of(other);
        if (from < 0 || to < 0 || axes != std::int64_t{1} << from || d.from_right(from) == 1 || d.from_right(to) != 1)
            continue;
        axis_map m = axis_map::of_rank(d.rank > to ? d.rank : to + 1);
        for (int k = 0; k < d.rank; ++k)
            if (k != from && k != to) m.set(k, k);
        m.set(to, from);
        return emit_with<axes_op>(b, other, attribute{.axes = m.bits});
    }
    return -1;
}

/// A patch without its axes of extent 1, seen under them: so it is the same array wherever it is written.
constexpr int emit_flat_patch(builder& b, int x) {
    if (b.nodes.items[x].kind != node_kind::put) return x;
    dims const d = b.shape_of(x);
    axis_map const m = axis_map::without(d.rank, ~varying(d) & ((std::int64_t{1} << d.rank) - 1));
    if (m.rank() == d.rank) return x;
    int const flat = emit_patch_under(b, x, m);
    if (flat < 0) return x;
    node n;
    n.op = &table_of<axes_op, double>::value;
    n.kind = node_kind::view;
    n.type = b.nodes.items[x].type;
    n.in[0] = flat;
    n.attr.axes = m.inverse(d.rank).bits;
    n.shape = b.nodes.items[x].shape;
    return b.push(n);
}

/// The sum over `axes` of x * y, where the two side by side, stretched, have the shape `loop`.
template <class T>
constexpr int emit_sum_of_products(builder& b, int x, int y, std::int64_t axes, dims const& loop) {
    std::int64_t const vx = varying(b.shape_of(x)), vy = varying(b.shape_of(y)), summed = axes & varying(loop);
    std::int64_t const counted = summed & ~vx & ~vy;
    x = emit_sum<T>(b, x, summed & vx & ~vy);
    y = emit_sum<T>(b, y, summed & vy & ~vx);
    std::int64_t const both = summed & vx & vy;
    int r = emit_product_with_unit(b, x, y, both);
    if (r >= 0) {
    } else if (std::floating_point<T> && is_matrix_product(b.shape_of(x), b.shape_of(y), both)) {
        x = emit_flat_patch(b, x);
        y = emit_flat_patch(b, y);
        node n;
        n.op = &operation_table<contract_op, T, T>::value;
        n.kind = node_kind::contract;
        n.type = dtype_of<T>();
        n.in[0] = x < y ? x : y;
        n.in[1] = x < y ? y : x;
        n.attr.axes = both;
        n.shape = b.intern(contract_op::shape(b, n));
        r = b.push(n);
    } else {
        r = emit_sum<T>(b, emit_binary<mul_op, T>(b, x, y), both);
    }
    return counted ? emit_binary<mul_op, T>(b, emit_count<T>(b, loop, counted), r) : r;
}

constexpr auto contract_op::pullback(auto g, auto, auto x, auto y, attribute const&) {
    using T = typename decltype(x)::value_type;
    builder& b = *x.graph;
    dims const loop = broadcast(b, dims(b.shape_of(x.id)), dims(b.shape_of(y.id)));
    std::int64_t const vx = varying(b.shape_of(x.id)), vy = varying(b.shape_of(y.id));
    return cotangents(node_ref<T>(&b, emit_sum_of_products<T>(b, g.id, y.id, varying(loop) & ~vx, loop)),
                      node_ref<T>(&b, emit_sum_of_products<T>(b, g.id, x.id, varying(loop) & ~vy, loop)));
}

template <class T>
constexpr int contract_op::simplify(builder& b, node const& n) {
    dims const loop = broadcast(b, dims(b.shape_of(n.in[0])), dims(b.shape_of(n.in[1])));
    auto narrow = [&](int id) {  // what is only stretched counts as the number of times it stands there
        while (b.nodes.items[id].is_stretched())
            id = b.nodes.items[id].in[0];
        return id;
    };
    int const r = emit_sum_of_products<T>(b, narrow(n.in[0]), narrow(n.in[1]), n.attr.axes, loop);
    dims shape = loop;
    for (int k = 0; k < shape.rank; ++k)
        if (n.attr.axes >> k & 1) shape.extent[shape.rank - 1 - k] = 1;
    return emit_expand(b, r, shape);
}

/// sum over axes of x * y as a node.
template <class T>
constexpr int emit_contraction(builder& b, int x, int y, std::int64_t axes) {
    return operation_table<contract_op, T, T>::emit(b, attribute{.axes = axes}, {x, y});
}
constexpr int emit_axes(builder& b, int x, axis_map m) { return emit_with<axes_op>(b, x, attribute{.axes = m.bits}); }

/// The product `id` with its axes as `m` wants them, computed in that order: nothing is transposed afterwards.
template <class T>
constexpr int emit_in_order(builder& b, int id, axis_map m) {
    node const n = b.nodes.items[id];
    dims const loop = broadcast(b, dims(b.shape_of(n.in[0])), dims(b.shape_of(n.in[1])));
    int summed = 0;
    for (int k = 0; k < loop.rank; ++k) summed += static_cast<int>(n.attr.axes >> k & 1);
    if (m.rank() + summed > max_rank) return -1;
    axis_map order = axis_map::of_rank(m.rank() + summed);
    for (int k = 0; k < m.rank(); ++k) {
        bool const is_summed = m.source(k) >= 0 && (n.attr.axes >> m.source(k) & 1);  // an extent of 1 in the result
        order.set(k, is_summed ? -1 : m.source(k));
    }
    std::int64_t axes = 0;
    for (int k = 0, to = m.rank(); k < loop.rank; ++k)
        if (n.attr.axes >> k & 1) {
            axes |= std::int64_t{1} << to;
            order.set(to++, k);
        }
    int const r = emit_contraction<T>(b, emit_axes(b, n.in[0], order), emit_axes(b, n.in[1], order), axes);
    return emit_axes(b, r, axis_map::without(order.rank(), axes));
}

}  // namespace detail::ops_part
}  // namespace tapeless
