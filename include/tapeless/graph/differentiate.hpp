// SPDX-License-Identifier: MIT
#pragma once
// Reverse mode: one sweep over the graph, which appends the cotangents of what is wanted to the same graph.

#include <tapeless/graph/batch.hpp>
#include <tapeless/ops/compare.hpp>
#include <tapeless/ops/movement.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless::detail {

/// fn<T>(...) for the floating type of a node.
constexpr int with_real(dtype type, auto&& fn) {
    return type == dtype::f32 ? fn.template operator()<float>() : fn.template operator()<double>();
}

/// Undoes broadcasting: the cotangent c of a node of shape `node_shape`, summed to what its operand of shape `operand` had.
/// A cotangent may have a smaller shape than its node (it is then the same along the missing axes): summing counts them.
constexpr int sum_to_operand(builder& b, int c, dims const& node_shape, dims const& operand) {
    dims sc = b.shape_of(c);
    std::int64_t summed = 0, counted = 0;
    for (int k = 0; k < node_shape.rank; ++k) {
        if (operand.from_right(k) != 1 || node_shape.from_right(k) == 1) continue;
        (sc.from_right(k) != 1 ? summed : counted) |= std::int64_t{1} << k;
    }
    if (summed || counted)
        c = with_real(b.nodes.items[c].type, [&]<class T>() {
            int s = summed ? operation_table<sum_op, T>::emit(b, attribute{.axes = summed}, {c}) : c;
            return counted ? emit_binary<mul_op, T>(b, emit_count<T>(b, node_shape, counted), s) : s;
        });
    if (b.shape_of(c).rank > operand.rank) {
        int rank = b.shape_of(c).rank;
        std::int64_t leading = ((std::int64_t{1} << rank) - 1) & ~((std::int64_t{1} << operand.rank) - 1);
        c = emit_with<axes_op>(b, c, attribute{.axes = axis_map::without(rank, leading).bits});
    }
    return c;
}

/// d y / d wanted[i], appended to the graph; -1 where y does not depend on it. `seed` is the cotangent of y.
constexpr list<int> differentiate(builder& b, int y, list<int> const& wanted, int seed) {
    list<int> cotangent(y + 1, -1);
    list<char> active(y + 1, 0), stop(y + 1, 0);
    for (int w : wanted)
        if (w <= y) active.items[w] = stop.items[w] = 1;
    for (int i = 0; i <= y; ++i) {  // activity: only what lies between y and something wanted
        node const& n = b.nodes.items[i];
        if (active.items[i] || !n.has_op() || !n.op->differentiable) continue;
        for (int j = 0; j < n.arity(); ++j)
            if (active.items[n.in[j]]) active.items[i] = 1;
    }
    cotangent.items[y] = seed;
    for (int i = y; i >= 0; --i) {
        if (cotangent.items[i] < 0 || !active.items[i] || stop.items[i]) continue;
        node const n = b.nodes.items[i];
        // A mask on the cotangent goes behind the local derivative: an inf or NaN in a branch not taken stays there.
        int g = cotangent.items[i], mask = -1;
        if (n.kind == node_kind::elementwise && is_masked(b, g)) {
            mask = b.nodes.items[g].in[0];
            g = b.nodes.items[g].in[1];
        }
        int out[max_inputs]{-1, -1, -1, -1, -1};
        if (n.items > 0) pull_back_items(b, i, g, n, out);
        else n.op->pullback(b, i, g, n, out);
        dims own = b.shapes.items[n.shape];
        for (int j = 1; j < n.arity(); ++j)  // x * x: its two cotangents are one value, doubled
            if (n.in[j] == n.in[j - 1] && out[j] >= 0 && out[j - 1] >= 0) {
                out[j] = with_real(b.nodes.items[out[j]].type, [&]<class T>() { return emit_binary<add_op, T>(b, out[j - 1], out[j]); });
                out[j - 1] = -1;
            }
        for (int j = 0; j < n.arity(); ++j) {
            int t = n.in[j], c = out[j];
            if (c < 0 || !active.items[t]) continue;
            if (mask >= 0) c = with_real(b.nodes.items[c].type, [&]<class T>() { return emit_masked<T>(b, mask, c); });
            dims operand = b.shape_of(t);
            if (n.kind == node_kind::elementwise) c = sum_to_operand(b, c, own, operand);
            if (cotangent.items[t] >= 0 && is_sum_of_parts(b, c) && is_patch(b, cotangent.items[t]))
                c = emit_patches_together(b, cotangent.items[t], c);
            else if (cotangent.items[t] >= 0)
                c = with_real(b.nodes.items[c].type, [&]<class T>() { return emit_binary<add_op, T>(b, cotangent.items[t], c); });
            cotangent.items[t] = c;
        }
    }
    list<int> r;
    for (int w : wanted) r.push(w <= y ? cotangent.items[w] : -1);
    return r;
}

}  // namespace tapeless::detail
