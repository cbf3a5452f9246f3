// SPDX-License-Identifier: MIT
#pragma once
// Products that are needed only under other axes are computed under those.

#include <tapeless/ops/contract.hpp>
#include <tapeless/ops/fused.hpp>

namespace tapeless::detail::inline graph_part {

/// A product that is needed only under other axes is computed under those; otherwise -1.
constexpr int order_product(builder& b, node const& n) {
    axis_map const m{n.attr.axes};
    node const& product = b.nodes.items[n.in[0]];
    if (n.op->form != view_form::axes || product.kind != node_kind::contract ||
        m.keeps_memory(b.shapes.items[product.shape]))
        return -1;
    return b.real(n.in[0]).in_order(b, n.in[0], m);
}

/// A graph that is made again: what its shapes and nodes have become, and how often these are used.
struct made_anew {
    builder const& from;
    list<int> const &shape, &number, &uses;
};
/// The same of what is computed element by element from products, each of which is needed only there: a view looks at
/// it in the graph that is made again.
class ordered_products {
public:
    constexpr ordered_products(builder& b, node const& view, made_anew const& g) : b_(b), view_(view), g_(g) {}

    /// What the view shows of node `id` of that graph, or -1 where there is no such product.
    constexpr int of(int id) {
        while (g_.from.nodes.items[id].kind == node_kind::alias && g_.uses.items[id] == 1)
            id = g_.from.nodes.items[id].in[0];
        shape_ = g_.from.nodes.items[id].shape;
        int nodes = 0;
        if (view_.op->form != view_form::axes || !has_product(id, nodes)) return -1;
        if (g_.from.nodes.items[id].kind != node_kind::contract && !is_wide()) return -1;
        return made(id);
    }

private:
    static constexpr int most_nodes = 16;  ///< that are made once more
    static constexpr std::int64_t narrow = 8;

    builder& b_;
    node view_;
    made_anew const& g_;
    int shape_ = -1;

    constexpr bool is_moved(int id) const {
        node const& n = g_.from.nodes.items[id];
        return g_.uses.items[id] == 1 && n.shape == shape_ && n.item_axes == 0 &&
               b_.nodes.items[g_.number.items[id]].shape == g_.shape.items[n.shape];
    }
    /// Whether a node is a product under other axes.
    constexpr bool shows_product(node const& n) const {
        return n.is_axes_view() && g_.uses.items[n.in[0]] == 1 &&
               g_.from.nodes.items[n.in[0]].kind == node_kind::contract;
    }
    constexpr bool has_product(int id, int& nodes) const {
        node const& n = g_.from.nodes.items[id];
        if (!is_moved(id) || ++nodes > most_nodes) return false;
        if (n.kind == node_kind::alias) return has_product(n.in[0], nodes);
        if (n.kind == node_kind::contract || shows_product(n)) return true;
        bool any = false;
        for (int j = 0; n.computes_elements() && j < n.arity(); ++j) any = has_product(n.in[j], nodes) || any;
        return any && nodes <= most_nodes;
    }
    /// The last axis of the view is not so short that fewer elements at a time are computed than without it.
    constexpr bool is_wide() const {
        dims const &d = b_.shapes.items[g_.shape.items[shape_]], &v = b_.shapes.items[view_.shape];
        auto last = [&](dims const& x) {
            int k = 0;
            while (k < x.rank && x.from_right(k) == 1) ++k;
            return k < x.rank ? b_.resolve(x.from_right(k)) : 1;
        };
        std::int64_t const before = last(d), after = last(v);
        return after < 0 || after >= narrow || (before >= 0 && after >= before);
    }
    constexpr int made(int id) {
        node n = g_.from.nodes.items[id];
        if (is_moved(id) && n.kind == node_kind::alias) return made(n.in[0]);
        if (is_moved(id) && (n.kind == node_kind::contract || shows_product(n))) {
            int const view = seen(g_.number.items[id]);
            int const r = b_.nodes.items[view].is_axes_view() ? order_product(b_, node(b_.nodes.items[view])) : -1;
            return r >= 0 ? r : view;
        }
        if (!is_moved(id) || !n.computes_elements()) return seen(g_.number.items[id]);
        n.shape = view_.shape;
        for (int j = 0; j < n.arity(); ++j) n.in[j] = made(n.in[j]);
        int const better = fuse_multiply_add(b_, n);
        return better >= 0 ? better : b_.emit(*n.op, n);
    }
    /// An operand under the axes of the view; it may have fewer.
    constexpr int seen(int x) {
        if (b_.is_scalar(x)) return x;
        axis_map m{view_.attr.axes};
        int const rank = b_.shape_of(x).rank;
        for (int k = 0; k < m.rank(); ++k)
            if (m.source(k) >= rank) m.set(k, -1);
        return emit_axes(b_, x, m);
    }
};

}  // namespace tapeless::detail::graph_part
