// SPDX-License-Identifier: MIT
#pragma once
// The largest of each two by two results of a convolution are taken by its own loop, some rows at a time, while these
// are in the first cache. The results themselves are stored only where something else needs them, as a gradient does.

#include <tapeless/graph/traced.hpp>
#include <tapeless/kernels/write_back.hpp>

namespace tapeless::detail::inline graph_part {

/// Finds poolings whose operand is such a loop, and makes the graph again with both as one.
class result_pooler {
public:
    constexpr explicit result_pooler(traced& t) : t_(t), g_(t.graph) {}

    constexpr void run() {
        bool any = false;
        for (node const& n : g_.nodes) any = any || pools_pairs(n);
        if (!any) return;
        count_uses();
        by_.resize(g_.nodes.size());
        for (int& b : by_) b = -1;
        any = false;
        for (int i = 0; i < g_.nodes.size(); ++i)
            if (uses_.items[i] > 0 && takes(i)) by_.items[g_.nodes.items[i].in[0]] = i, any = true;
        if (any) make_again();
    }

private:
    traced& t_;
    builder& g_;
    list<int> uses_, first_;  // of each node: how often something needs it, and what does so first
    list<int> by_;            // of a convolution: the pooling that it is one with, else -1
    list<node> from_;         // what is made again
    list<int> number_;        // and what became of it; -1: not yet, or nothing needs it

    static constexpr bool pools_pairs(node const& n) { return n.kind == node_kind::custom_loop && n.op->pools_pairs; }
    constexpr void count_uses() {
        list<int> const& outputs = t_.outputs;
        uses_ = list<int>(g_.nodes.size(), 0);
        first_ = list<int>(g_.nodes.size(), g_.nodes.size());
        for (int o : outputs) ++uses_.items[o];
        for (index_check const& c : g_.index_checks) {
            ++uses_.items[c.index];
            if (c.lengths >= 0) ++uses_.items[c.lengths];
        }
        for (int i = g_.nodes.size() - 1; i >= 0; --i) {
            if (uses_.items[i] == 0) continue;
            bool const shows = g_.nodes.items[i].kind == node_kind::view;  // what is seen is needed by who looks at it
            int const needs = shows ? first_.items[i] : i;
            for (int j = 0; j < g_.nodes.items[i].arity(); ++j) {
                int const x = g_.nodes.items[i].in[j];
                ++uses_.items[x];
                if (needs < first_.items[x]) first_.items[x] = needs;
            }
        }
    }
    /// Whether node i, a pooling, can be done by the loop before it: nothing needs where the largest stand, and nothing
    /// needs that loop's results earlier.
    constexpr bool takes(int i) const {
        node const& n = g_.nodes.items[i];
        if (!pools_pairs(n) || n.item_axes > 0) return false;
        int const c = n.in[0];
        node const& loop = g_.nodes.items[c];
        if (loop.kind != node_kind::custom_loop || !loop.op->has_pooled || loop.item_axes > 0) return false;
        if (first_.items[c] != i || (loop.op->is_finished && n.op->is_finished)) return false;
        int added = n.op->is_finished ? n.in[1] : -1;
        while (added >= 0 && g_.nodes.items[added].kind == node_kind::view) added = g_.nodes.items[added].in[0];
        if (added == c) return false;
        for (int k = i + 1; k < g_.nodes.size(); ++k) {
            node const& part = g_.nodes.items[k];
            if (part.kind == node_kind::custom_loop && part.op->part > 0 && part.in[0] == i && uses_.items[k] > 0)
                return false;
        }
        return true;
    }
    constexpr void make_again() {
        from_ = static_cast<list<node>&&>(g_.nodes);
        g_.nodes = {};
        for (int& b : g_.bucket) b = 0;
        number_ = list<int>(from_.size(), -1);
        for (int i = 0; i < from_.size(); ++i) {
            if (by_.items[i] >= 0) continue;
            int const c = pools_pairs(from_.items[i]) ? from_.items[i].in[0] : -1;
            if (c < 0 || by_.items[c] != i) (void)made(i);
            else make_both(c, i);
        }
        for (int& o : t_.outputs) o = made(o);
        for (index_check& c : g_.index_checks) {
            c.index = made(c.index);
            if (c.lengths >= 0) c.lengths = made(c.lengths);
        }
    }
    /// What becomes of a node; -1 where it is a view of results that are not there yet, or never will be.
    constexpr int made(int i) {
        if (number_.items[i] >= 0 || by_.items[i] >= 0) return number_.items[i];
        node n = from_.items[i];
        for (int j = 0; j < n.arity(); ++j)
            if ((n.in[j] = made(n.in[j])) < 0) return -1;
        return number_.items[i] = g_.push(n);
    }
    /// One loop of convolution c and the pooling i of its results. Where these are needed, too, they are as they were;
    /// otherwise a number is added to the largest of them alone.
    constexpr void make_both(int c, int i) {
        node const &loop = from_.items[c], &pooling = from_.items[i];
        bool const kept = uses_.items[c] > 1;
        node n = loop;
        n.op = loop.op->pooled;
        n.shape = n.attr.shape = pooling.shape;
        n.attr.offset = g_.sum(loop.attr.offset, passing_results / size_of(n.type));
        n.attr.axes = loop.op->is_finished ? loop.attr.axes : pooling.op->is_finished ? pooling.attr.axes : 0;
        for (int j = 0; j < loop.arity(); ++j) n.in[j] = made(loop.in[j]);
        if (loop.op->is_finished) n.attr.axes |= kept ? attribute::finishes_all : 0;
        else n.in[loop.arity()] = pooling.op->is_finished ? made(pooling.in[1]) : g_.constant(-0.0, n.type);
        number_.items[i] = g_.push(n);
        if (kept) number_.items[c] = g_.push(all_of(loop, number_.items[i]));
    }
    /// All its results.
    static constexpr node all_of(node const& loop, int made) {
        node n;
        n.op = loop.op->pooled->kept;
        n.kind = node_kind::custom_loop;
        n.type = loop.type;
        n.in[0] = made;
        n.shape = n.attr.shape = loop.shape;
        return n;
    }
};
constexpr void pool_results(traced& t) { result_pooler(t).run(); }

}  // namespace tapeless::detail::graph_part
