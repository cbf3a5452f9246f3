// SPDX-License-Identifier: MIT
#pragma once
// A bias, one number a channel, and a relu behind a loop of its own that nothing else needs: the loop does both before
// it stores anything, to what is in its registers. The numbers are the same; the derivative of relu needs its result
// alone.

#include <tapeless/graph/ordered_products.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/simplify/emit.hpp>

namespace tapeless::detail::inline graph_part {

/// What is added to, or done to, the result of a loop, as that loop with a write-back.
class write_back_finder {
public:
    constexpr write_back_finder(builder& b, node const& n, made_anew const& g) : b_(b), n_(n), g_(g) {}

    /// The value of n, node `id` of the graph that is made again, or -1 where its operand j is no such loop.
    constexpr int of(int id, int j) {
        if (!find(g_.from.nodes.items[id].in[j])) return not_this;
        node loop = b_.nodes.items[loop_];
        if (loop.item_axes > 0 || loop.attr.rectifies()) return not_this;
        if (n_.op->is == builtin::add) {
            int const number = number_for(n_.in[1 - j], loop.op->finished_axis);
            return number < 0 || loop.op->is_finished ? not_this : under_view(emit(loop, number));
        }
        int const nothing = loop.op->is_finished ? -1 : b_.constant(-0.0, n_.type);
        loop.attr.axes = 1;
        return under_view(emit(loop, nothing));
    }

private:
    builder& b_;
    node n_;
    made_anew const& g_;
    int loop_ = -1, view_ = -1;

    /// A node of the graph that is made again, needed once, and not under another name.
    constexpr int single(int id) const {
        while (g_.uses.items[id] == 1 && g_.from.nodes.items[id].kind == node_kind::alias)
            id = g_.from.nodes.items[id].in[0];
        return g_.uses.items[id] == 1 ? id : -1;
    }
    /// What became of a node, under its own shape.
    constexpr int made_of(int id) const {
        int const m = g_.number.items[id], shape = g_.shape.items[g_.from.nodes.items[id].shape];
        node const& n = b_.nodes.items[m];
        if (n.is_reshape() && n.shape != shape) return n.in[0];
        return m;
    }
    /// Finds the loop that the operand is, or is without its first axis, which is 1.
    constexpr bool find(int operand) {
        int id = single(operand);
        if (id < 0 || g_.number.items[id] < 0) return false;
        loop_ = made_of(id);
        if (b_.nodes.items[loop_].shape != n_.shape) return false;
        if (b_.nodes.items[loop_].is_axes_view() && lacks_first(loop_)) {
            view_ = loop_;
            loop_ = b_.nodes.items[view_].in[0];
            if (g_.from.nodes.items[id].is_axes_view()) {  // otherwise it was made here, for this node
                id = single(g_.from.nodes.items[id].in[0]);
                if (id < 0 || made_of(id) != loop_) return false;
            } else if (!b_.nodes.items[loop_].has_op() || !b_.nodes.items[loop_].op->is_finished) return false;
        }
        node const& n = b_.nodes.items[loop_];
        return n.kind == node_kind::custom_loop && (n.op->finished_axis >= 0 || n.op->is_finished);
    }
    constexpr bool lacks_first(int view) const {
        node const& n = b_.nodes.items[view];
        dims const& x = b_.shape_of(n.in[0]);
        return x.rank > 0 && x.extent[0] == 1 &&
               axis_map{n.attr.axes}.bits == axis_map::without(x.rank, 1 << (x.rank - 1)).bits;
    }
    /// The value, before it was stretched, if it varies along no axis but that one; else -1.
    constexpr int number_for(int id, int axis) const {
        while (b_.nodes.items[id].is_stretched()) id = b_.nodes.items[id].in[0];
        dims const& d = b_.shape_of(id);
        for (int k = 0; k < d.rank; ++k)
            if (k != axis && d.from_right(k) != 1) return -1;
        return b_.nodes.items[id].type == n_.type ? id : -1;
    }
    /// The loop with another operand, or with other attributes alone.
    constexpr int emit(node loop, int number) const {
        if (number < 0) return b_.emit(*loop.op, loop);
        loop.in[loop.op->arity] = number;
        return b_.emit(*loop.op->finished, loop);
    }
    constexpr int under_view(int made) const {
        if (view_ < 0) return made;
        node v = b_.nodes.items[view_];
        v.in[0] = made;
        return b_.emit(*v.op, v);
    }
};

/// Node n, `id` of the graph that is made again, in the write-back of the loop before it; -1 where there is none.
constexpr int emit_in_write_back(builder& b, node const& n, int id, made_anew const& g) {
    int r = not_this;
    for (int j = 0; j < n.arity() && r < 0; ++j) r = write_back_finder(b, n, g).of(id, j);
    return r;
}

}  // namespace tapeless::detail::graph_part
