// SPDX-License-Identifier: MIT
#pragma once
// Reverse mode: one sweep over the graph, which appends the cotangents of what is wanted to the same graph.

#include <tapeless/graph/batch.hpp>
#include <tapeless/graph/reverse_call.hpp>
#include <tapeless/ops/compare.hpp>
#include <tapeless/ops/padded.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless::detail::inline graph_part {

/// Undoes broadcasting: the cotangent c of a node of shape `node_shape`, summed to what its operand of shape
/// `operand` had. A cotangent may have a smaller shape than its node (it is then the same along the missing axes):
/// summing counts them.
constexpr int sum_to_operand(builder& b, int c, dims const& node_shape, dims const& operand) {
    dims sc = b.shape_of(c);
    std::int64_t summed = 0, counted = 0;
    for (int k = 0; k < node_shape.rank; ++k) {
        if (operand.from_right(k) != 1 || node_shape.from_right(k) == 1) continue;
        (sc.from_right(k) != 1 ? summed : counted) |= std::int64_t{1} << k;
    }
    if (summed || counted) {
        real_rules const& real = b.real(c);
        c = real.sum(b, c, summed);
        if (counted) c = real.mul(b, real.count(b, node_shape, counted), c);
    }
    if (b.shape_of(c).rank > operand.rank) {
        int rank = b.shape_of(c).rank;
        std::int64_t leading = ((std::int64_t{1} << rank) - 1) & ~((std::int64_t{1} << operand.rank) - 1);
        c = emit_with<axes_op>(b, c, attribute{.axes = axis_map::without(rank, leading).bits});
    }
    return c;
}

constexpr list<int> differentiate(builder& b, list<int> const& ys, list<int> const& seeds, list<int> const& wanted);

/// Reverse mode over the nodes from `first` to `last`: only what lies between something wanted and what is
/// differentiated.
class reverse_sweep {
public:
    constexpr reverse_sweep(builder& graph, int first, int last, list<int> const& wanted)
        : b_(graph),
          first_(first),
          size_(last < first ? 0 : last + 1 - first),
          cotangent_(size_, -1),
          active_(size_, 0),
          stop_(size_, 0) {
        for (int w : wanted)
            if (w <= last) active_.items[w - first] = stop_.items[w - first] = 1;
        for (int i = first; i <= last; ++i) {
            node const& n = b_.nodes.items[i];
            if (active_.items[i - first] || !n.has_op() || !n.op->differentiable) continue;
            for (int j = 0; j < n.arity(); ++j)
                if (is_active(n.in[j])) active_.items[i - first] = 1;
        }
    }

    /// What has arrived at a node, or -1.
    constexpr int& cotangent(int id) { return cotangent_.items[id - first_]; }
    constexpr bool is_active(int id) const { return id >= first_ && id - first_ < size_ && active_.items[id - first_]; }

    constexpr void add(int t, int c) {
        if (c < 0 || !is_active(t)) return;
        int& sum = cotangent(t);
        int const gathered = sum >= 0 ? emit_gathered_sum(b_, sum, c) : -1;
        if (gathered >= 0) sum = gathered;
        else if (sum >= 0 && is_sum_of_parts(b_, c) && is_patch(b_, sum)) sum = emit_patches_together(b_, sum, c);
        else if (sum >= 0) sum = b_.real(c).add(b_, sum, c);
        else sum = c;
    }

    constexpr void run() {
        list<int> waiting;  // results of calls that come next
        for (int i = first_ + size_ - 1; i >= first_; --i) {
            if (stop_.items[i - first_] || !active_.items[i - first_]) continue;
            if (has_role(b_, i, loop_role::call)) pull_results(i, waiting);
            else if (cotangent(i) < 0) continue;
            else if (has_role(b_, i, loop_role::result)) waiting.push(i);
            else pull(i);
        }
    }

private:
    builder& b_;
    int first_, size_;
    list<int> cotangent_;
    list<char> active_, stop_;

    constexpr void pull(int i) {
        node const n = b_.nodes.items[i];
        // A mask on the cotangent goes behind the local derivative: an inf or NaN in a branch not taken stays there.
        int g = cotangent(i), mask = -1;
        if (n.kind == node_kind::elementwise && is_masked(b_, g)) {
            mask = b_.nodes.items[g].in[0];
            g = b_.nodes.items[g].in[1];
        }
        int out[max_inputs]{-1, -1, -1, -1, -1};
        if (n.item_axes > 0) pull_back_items(b_, i, g, n, out);
        else n.op->pullback(b_, i, g, n, out);
        dims const own = b_.shapes.items[n.shape];
        for (int j = 1; j < n.arity(); ++j)  // x * x: its two cotangents are one value, doubled
            if (n.in[j] == n.in[j - 1] && out[j] >= 0 && out[j - 1] >= 0) {
                out[j] = b_.real(out[j]).add(b_, out[j - 1], out[j]);
                out[j - 1] = -1;
            }
        for (int j = 0; j < n.arity(); ++j) {
            int c = out[j];
            if (c < 0 || !is_active(n.in[j])) continue;
            if (mask >= 0) c = b_.real(c).masked(b_, mask, c);
            if (n.kind == node_kind::elementwise) {
                dims const operand = b_.shape_of(n.in[j]);
                c = sum_to_operand(b_, c, own, operand);
            }
            add(n.in[j], c);
        }
    }

    /// All results of a call come before it in this sweep: it is differentiated as one.
    constexpr void pull_results(int call, list<int>& waiting) {
        list<pulled_result> results;
        list<int> others;
        for (int r : waiting)
            if (b_.nodes.items[r].in[0] == call) results.push({r, cotangent(r)});
            else others.push(r);
        waiting = others;
        if (results.empty()) return;
        list<int> const operands = operands_of(b_, call);
        list<char> active;
        for (int o : operands) active.push(is_active(o));
        list<int> const c = pull_call(b_, call, results, active, &differentiate);
        for (int j = 0; j < operands.size(); ++j) add(operands[j], c[j]);
    }
};

/// What cotangents `seeds` of the values `ys` become at `wanted`, appended to the graph; -1 where nothing arrives. A
/// seed may have a smaller shape than its value.
constexpr list<int> differentiate(builder& b, list<int> const& ys, list<int> const& seeds, list<int> const& wanted) {
    int first = b.nodes.size(), last = -1;
    for (int w : wanted) first = w < first ? w : first;
    for (int y : ys) last = y > last ? y : last;
    reverse_sweep s(b, first, last, wanted);
    for (int i = 0; i < ys.size(); ++i) s.add(ys[i], seeds[i]);
    s.run();
    if (b.is_refused) b.refusal();
    list<int> r;
    for (int w : wanted) r.push(w <= last ? s.cotangent(w) : -1);
    return r;
}
/// d y / d wanted[i], appended to the graph; -1 where y does not depend on it. `seed` is the cotangent of y.
constexpr list<int> differentiate(builder& b, int y, list<int> const& wanted, int seed) {
    list<int> ys, seeds;
    ys.push(y);
    seeds.push(seed);
    return differentiate(b, ys, seeds, wanted);
}

}  // namespace tapeless::detail::graph_part
