// SPDX-License-Identifier: MIT
#pragma once
// What is rolled is in memory. Gradients of stencils roll several products with one array, w (a + b u) and w (a - b u):
// that array is in memory rather than these, which are computed where they are read.

#include <tapeless/ops/fused.hpp>
#include <tapeless/ops/padded.hpp>

namespace tapeless::detail::inline graph_part {

/// The values of graph `a`, which is made again, that are rolled by rolling what they are computed from.
class rolled_terms {
public:
    constexpr rolled_terms(builder const& a, list<char> const& live, list<int> const& uses) : a_(a) {
        list<int> candidates;
        for (int i = 0; i < a.nodes.size(); ++i) {
            if (!live.items[i] || !is_roll(i)) continue;
            if (kept_.empty()) {
                rolls_ = base_ = list<int>(a.nodes.size(), 0);
                axis_ = list<int>(a.nodes.size(), several);
                kept_ = list<char>(a.nodes.size(), 0);
            }
            int const v = source_of(i), axis = a.nodes.items[i].attr.axis();
            axis_.items[v] = rolls_.items[v] == 0 || axis_.items[v] == axis ? axis : several;
            ++rolls_.items[v];
        }
        for (int v = 0; v < rolls_.size(); ++v) {
            if (rolls_.items[v] == 0) continue;
            if (rolls_.items[v] == uses.items[v] && a.nodes.items[v].computes_elements()) candidates.push(v);
            else kept_.items[v] = 1;
        }
        for (int v : candidates) find_base(v, candidates);
    }
    /// The roll i of graph a in graph b; -1 where what is rolled is in memory. `number` says what became of a's nodes,
    /// `shape` of its shapes.
    constexpr int of(builder& b, int i, list<int> const& shape, list<int> const& number) const {
        if (kept_.empty() || !is_roll(i) || base_.items[source_of(i)] == 0) return -1;
        attribute at = a_.nodes.items[i].attr;
        at.shape = shape.items[at.shape];
        return rolled(b, source_of(i), base_.items[source_of(i)] + without, at, shape, number);
    }

private:
    static constexpr int most_cost = 8, deepest = 4, nearby = 64, several = -1, none = -1, without = none - 1;
    builder const& a_;
    list<int> rolls_, axis_;  // of each value: so many rolls, along this axis
    list<char> kept_;         // it is in memory for them
    list<int> base_;          // of a value that is not: what is in memory for it (or none), less `without`

    constexpr bool is_roll(int i) const {
        return a_.nodes.items[i].kind == node_kind::padded && a_.nodes.items[i].attr.shift() != 0;
    }
    constexpr int source_of(int roll) const {
        int v = a_.nodes.items[roll].in[0];
        while (a_.nodes.items[v].kind == node_kind::alias && a_.nodes.items[v].arity() == 1)
            v = a_.nodes.items[v].in[0];
        return v;
    }
    constexpr bool is_there(int x) const { return a_.nodes.items[x].is_given() || kept_.items[x]; }
    /// The cost of node x from `base` and what is in memory, rolled along an axis; more than most_cost where it cannot
    /// be computed from those.
    constexpr int cost_of(int x, int base, int axis, int shape, int depth = 0) const {
        node const& n = a_.nodes.items[x];
        if (x == base || a_.is_scalar(x)) return 0;
        if (n.shape != shape) return most_cost + 1;
        if (is_there(x) || (is_roll(x) && n.attr.axis() == axis && is_there(source_of(x)))) return 0;
        if (!n.computes_elements() || n.item_axes > 0 || is_mask(n.type) || depth > deepest) return most_cost + 1;
        int cost = n.op->cost;
        for (int j = 0; j < n.arity() && cost <= most_cost; ++j) cost += cost_of(n.in[j], base, axis, shape, depth + 1);
        return cost;
    }
    constexpr bool is_cheap(int v, int base) const {
        return !kept_.items[v] && base_.items[v] == 0 && v != base &&
               rolls_.items[v] * cost_of(v, base, axis_.items[v], a_.nodes.items[v].shape) <= most_cost;
    }
    constexpr bool needs(int v, int x, int depth = 0) const {
        node const& n = a_.nodes.items[v];
        for (int j = 0; j < n.arity() && depth <= deepest; ++j)
            if (n.in[j] == x || (n.in[j] > x && needs(n.in[j], x, depth + 1))) return true;
        return false;
    }
    /// Values that v may be computed from.
    constexpr void find_values(int v, list<int>& to, int depth = 0) const {
        node const& n = a_.nodes.items[v];
        for (int j = 0; j < n.arity(); ++j) {
            node const& x = a_.nodes.items[n.in[j]];
            if (!x.computes_elements() || x.shape != n.shape || is_mask(x.type) || is_there(n.in[j])) continue;
            bool known = false;
            for (int t : to) known = known || t == n.in[j];
            if (!known) to.push(n.in[j]);
            if (!known && depth < deepest) find_values(n.in[j], to, depth + 1);
        }
    }
    /// What candidate v is computed from: what is in memory anyway, or a value that others are computed from, too.
    constexpr void find_base(int v, list<int> const& candidates) {
        if (base_.items[v] != 0 || kept_.items[v]) return;
        if (is_cheap(v, none)) {
            base_.items[v] = none - without;
            return;
        }
        list<int> values;
        find_values(v, values);
        for (int x : values) {
            if (!is_cheap(v, x)) continue;
            list<int> together;
            for (int c : candidates)
                if (c > x && c - x <= nearby && needs(c, x) && is_cheap(c, x)) together.push(c);
            if (together.size() < 2) continue;
            for (int c : together) base_.items[c] = x - without;
            kept_.items[x] = 1;
            return;
        }
        kept_.items[v] = 1;
    }
    /// Node x, rolled.
    constexpr int rolled(builder& b, int x, int base, attribute const& at, list<int> const& shape,
                         list<int> const& number) const {
        if (a_.is_scalar(x)) return number.items[x];
        if (x == base || is_there(x) || is_roll(x)) return emit_rolled(b, number.items[x], at);
        node n = a_.nodes.items[x];
        for (int j = 0; j < n.arity(); ++j) n.in[j] = rolled(b, n.in[j], base, at, shape, number);
        n.shape = shape.items[n.shape];
        if (n.attr.shape >= 0) n.attr.shape = shape.items[n.attr.shape];
        int const fused = fuse_multiply_add(b, n);
        return fused >= 0 ? fused : b.emit(*n.op, n);
    }
};

}  // namespace tapeless::detail::graph_part
