// SPDX-License-Identifier: MIT
#pragma once
// Anchors: the values of a graph that a kernel is made for, because they are reduced, multiplied, stored, or worth computing once.

#include <tapeless/graph/simplify.hpp>
#include <tapeless/ops/call.hpp>
#include <tapeless/ops/movement.hpp>
#include <tapeless/schedule/machine.hpp>
#include <tapeless/schedule/walk.hpp>

namespace tapeless::detail {

class anchors {
public:
    builder const& g;
    list<int> const& outputs;
    list<char> stored;  ///< the node has to be in memory
    list<char> dense;   ///< of each argument leaf, then of each output: contiguous for certain

    constexpr anchors(builder const& graph, list<int> const& outs, list<char> const& dense_leaves)
        : g(graph), outputs(outs), stored(graph.nodes.size(), 0), dense(dense_leaves), anchor_(graph.nodes.size(), 0),
          cone_(graph.nodes.size(), 0), live_(graph.nodes.size(), 0), uses_(graph.nodes.size(), 0) {
        find_live();
        choose_materialised();
    }

protected:
    list<char> anchor_;
    list<int> cone_;  ///< instructions to compute the node from what is in memory
    list<char> live_;
    list<int> uses_;  ///< by how many live nodes

    constexpr bool computes(node const& n) const {
        return n.kind == node_kind::elementwise && !n.op->same_value;
    }

    constexpr void find_live() {
        for (int o : outputs) live_.items[o] = 1;
        for (int i = g.nodes.size() - 1; i >= 0; --i)
            if (live_.items[i])
                for (int j = 0; j < g.nodes.items[i].arity(); ++j) {
                    live_.items[g.nodes.items[i].in[j]] = 1;
                    ++uses_.items[g.nodes.items[i].in[j]];
                }
    }

    constexpr void choose_materialised() {
        for (int o : outputs) anchor_.items[o] = stored.items[o] = 1;
        int count = 0;
        for (int i = 0; i < g.nodes.size(); ++i) {
            if (!live_.items[i]) continue;
            node const& n = g.nodes.items[i];
            if (n.kind == node_kind::reduce) anchor_.items[i] = 1;
            if (n.kind == node_kind::contract) {
                anchor_.items[i] = 1;
                for (int j = 0; j < 2; ++j) anchor_.items[in_memory(n.in[j])] = 1;
            }
            if (n.kind == node_kind::view && merges(n) && !reads_operand(n)) anchor_.items[i] = 1;
            if (n.kind == node_kind::put) {
                anchor_.items[i] = 1;
                if (is_link(n.in[0])) anchor_.items[n.in[0]] = 0;  // its array is this one's
            }
            if (n.kind == node_kind::custom_loop) {
                anchor_.items[i] = n.op->role != loop_role::operands;
                for (int j = 0; j < n.arity() && n.op->role != loop_role::call; ++j)
                    if (!has_role(g, n.in[j], loop_role::operands)) anchor_.items[array_behind(g, n.in[j])] = 1;
            }
            count += computes(n);
        }
        // A large program is cut into segments: what crosses a cut is stored, unless it is one cheap step from memory.
        list<int> segment(g.nodes.size(), 0);
        if (count > machine::kernel_cap)
            for (int i = 0, n = 0; i < g.nodes.size(); ++i) {
                if (live_.items[i] && computes(g.nodes.items[i])) ++n;
                segment.items[i] = n / machine::segment_length;
            }
        for (int i = 0; i < g.nodes.size(); ++i) {
            node const& n = g.nodes.items[i];
            if (!live_.items[i] || n.arity() == 0) continue;
            int cost = n.op->cost;
            for (int j = 0; j < n.arity(); ++j) {
                int t = source(n.in[j]);
                if (computes(g.nodes.items[t]) && !anchor_.items[t] && !is_mask(g.nodes.items[t].type)) {  // masks are never stored
                    if (segment.items[t] != segment.items[i] && (g.nodes.items[t].op->cost > machine::cheap_across_cuts || !one_step(t))) anchor_.items[t] = 1;
                    else if (cone_.items[t] >= machine::worth_hoisting && repeats(t, i)) anchor_.items[t] = 1;
                }
                if (computes(g.nodes.items[t]) && !anchor_.items[t]) cost += cone_.items[t];
            }
            cone_.items[i] = cost > 1000 ? 1000 : cost;
        }
    }

    /// Behind views and stretches: the node that is computed.
    constexpr int source(int i) const {
        while (g.nodes.items[i].kind == node_kind::view || (g.nodes.items[i].has_op() && g.nodes.items[i].op->same_value)) i = g.nodes.items[i].in[0];
        return i;
    }
    /// What is in memory behind views: those are walked in place.
    constexpr int in_memory(int i) const {
        while (g.nodes.items[i].kind == node_kind::view) {
            if (merges(g.nodes.items[i]) && !reads_operand(g.nodes.items[i])) return i;
            i = g.nodes.items[i].in[0];
        }
        return i;
    }
    /// A reshape that merges axes: only memory can be read that way.
    constexpr bool merges(node const& view) const {
        return view.op->form == view_form::reshape && !axis_split(g, g.shape_of(view.in[0]), g.shapes.items[view.shape]).ok;
    }
    /// Whether what such a reshape is of is in memory, in one piece. Otherwise the reshape is stored.
    constexpr bool reads_operand(node const& view) const {
        node const& n = g.nodes.items[view.in[0]];
        if (n.kind == node_kind::argument) return dense.items[n.source];
        return (n.kind == node_kind::reduce || n.kind == node_kind::contract || n.kind == node_kind::put || n.kind == node_kind::custom_loop) &&
               !is_output(view.in[0]);
    }
    constexpr bool is_output(int id) const {
        for (int o : outputs)
            if (o == id) return true;
        return false;
    }
    /// A put that only another put writes into: the two have one array.
    constexpr bool is_link(int id) const { return g.nodes.items[id].kind == node_kind::put && uses_.items[id] == 1 && !is_output(id); }
    constexpr bool one_step(int i) const {
        for (int j = 0; j < g.nodes.items[i].arity(); ++j) {
            int t = source(g.nodes.items[i].in[j]);
            if (computes(g.nodes.items[t]) && !anchor_.items[t]) return false;
        }
        return true;
    }
    /// A loop over `user` would compute `t` again and again: t varies along the innermost axis but not along an outer one.
    constexpr bool repeats(int t, int user) const {
        node const& u = g.nodes.items[user];
        if (!computes(u) && u.kind != node_kind::reduce) return false;
        dims const &small = g.shape_of(t), &big = u.kind == node_kind::reduce ? g.shape_of(u.in[0]) : g.shapes.items[u.shape];
        if (small.is_scalar()) return false;
        int k = 0;
        while (k < big.rank && big.from_right(k) == 1) ++k;
        if (small.from_right(k) == 1) return false;
        for (; k < big.rank; ++k)
            if (big.from_right(k) != 1 && small.from_right(k) == 1) return true;
        return false;
    }
};

}  // namespace tapeless::detail
