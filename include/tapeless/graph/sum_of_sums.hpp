// SPDX-License-Identifier: MIT
#pragma once
// A sum of sums that nothing else needs is one sum: of what a function computes of each item under vmap, it is taken
// in the order of memory.

#include <tapeless/ops/movement.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless::detail::inline graph_part {

/// Whether node `id` of graph g is a sum, used once, under other axes perhaps, each of these used once.
constexpr bool is_sum_used_once(builder const& g, int id, list<int> const& uses) {
    for (;; id = g.nodes.items[id].in[0]) {
        node const& n = g.nodes.items[id];
        if (uses.items[id] != 1) return false;
        if (n.kind == node_kind::reduce) return n.op->combine == combination::sum && n.item_axes == 0;
        if (n.kind != node_kind::alias && !n.is_axes_view()) return false;
    }
}
/// What is computed element by element from arrays under exchanged axes, all in the same way, under their own axes.
class own_axes {
public:
    constexpr explicit own_axes(builder& b) : b_(b) {}
    /// What all elements of a value are, in some order.
    constexpr int of(int id) {
        rank_ = b_.shape_of(id).rank;
        nodes_ = 0;
        return find(id) && view_ >= 0 ? made(id) : id;
    }

private:
    static constexpr int most_nodes = 8, cheap = 2;  ///< they may be computed elsewhere, too
    builder& b_;
    int view_ = -1, rank_ = 0, nodes_ = 0;

    constexpr bool exchanges(node const& n) const {
        axis_map const m{n.attr.axes};
        int axes = 0;
        for (int k = 0; k < m.rank(); ++k) axes |= m.source(k) < 0 ? 0 : 1 << m.source(k);
        return m.rank() == rank_ && b_.shape_of(n.in[0]).rank == rank_ && axes == (1 << rank_) - 1;
    }
    constexpr bool find(int id) {
        node const& n = b_.nodes.items[id];
        if (b_.is_scalar(id)) return true;
        if (++nodes_ > most_nodes || b_.shape_of(id).rank != rank_ || n.item_axes != 0) return false;
        if (n.is_axes_view()) {
            if (view_ < 0) view_ = exchanges(n) ? id : -1;
            return view_ >= 0 && n.attr.axes == b_.nodes.items[view_].attr.axes && b_.shape_of(n.in[0]).rank == rank_;
        }
        if (!n.computes_elements() || n.op->cost > cheap) return false;
        for (int j = 0; j < n.arity(); ++j)
            if (!find(n.in[j])) return false;
        return true;
    }
    constexpr int made(int id) {
        node n = b_.nodes.items[id];
        if (b_.is_scalar(id)) return id;
        if (n.is_axes_view()) return n.in[0];
        for (int j = 0; j < n.arity(); ++j) n.in[j] = made(n.in[j]);
        return b_.emit(*n.op, n);
    }
};

/// A sum n that leaves one number: of all that is summed up before where it is of such a sum, and in the order of
/// memory; otherwise -1. The graph is made again from g, in which n is of node `summed`.
constexpr int emit_sum_of_all(builder& b, node const& n, builder const& g, int summed, list<int> const& uses) {
    if (n.op->combine != combination::sum || n.item_axes != 0 || !b.shapes.items[n.shape].is_scalar()) return -1;
    node all = n;
    if (is_sum_used_once(g, summed, uses)) {
        int id = n.in[0];
        while (b.nodes.items[id].is_axes_view()) id = b.nodes.items[id].in[0];
        node const& inner = b.nodes.items[id];
        if (inner.kind == node_kind::reduce && inner.item_axes == 0 && same_operation(inner.op, n.op)) all = inner;
    }
    all.in[0] = own_axes(b).of(all.in[0]);
    if (all.in[0] == n.in[0]) return -1;
    all.attr.axes = (std::int64_t{1} << b.shape_of(all.in[0]).rank) - 1;
    return emit_axes(b, b.emit(*all.op, all), axis_map::of_rank(b.shapes.items[n.shape].rank));
}

}  // namespace tapeless::detail::graph_part
