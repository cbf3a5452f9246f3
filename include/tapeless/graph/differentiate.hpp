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

/// What cotangents `seeds` of the values `ys` become at `wanted`, appended to the graph; -1 where nothing arrives. A seed may
/// have a smaller shape than its value. Only what comes behind the first of `wanted` is looked at.
constexpr list<int> differentiate(builder& b, list<int> const& ys, list<int> const& seeds, list<int> const& wanted) {
    int first = b.nodes.size(), last = -1;
    for (int w : wanted) first = w < first ? w : first;
    for (int y : ys) last = y > last ? y : last;
    int const size = last < first ? 0 : last + 1 - first;
    list<int> cotangent(size, -1);
    list<char> active(size, 0), stop(size, 0);
    auto is_active = [&](int id) { return id >= first && active.items[id - first]; };
    for (int w : wanted)
        if (w <= last) active.items[w - first] = stop.items[w - first] = 1;
    for (int i = first; i <= last; ++i) {  // activity: only what lies between a y and something wanted
        node const& n = b.nodes.items[i];
        if (active.items[i - first] || !n.has_op() || !n.op->differentiable) continue;
        for (int j = 0; j < n.arity(); ++j)
            if (is_active(n.in[j])) active.items[i - first] = 1;
    }
    auto arrive = [&](int t, int c) {
        int& sum = cotangent.items[t - first];
        if (sum >= 0 && is_sum_of_parts(b, c) && is_patch(b, sum)) sum = emit_patches_together(b, sum, c);
        else if (sum >= 0) sum = with_real(b.nodes.items[c].type, [&]<class T>() { return emit_binary<add_op, T>(b, sum, c); });
        else sum = c;
    };
    for (int k = 0; k < ys.size(); ++k)
        if (is_active(ys[k])) arrive(ys[k], seeds[k]);
    for (int i = last; i >= first; --i) {
        if (cotangent.items[i - first] < 0 || stop.items[i - first]) continue;
        node const n = b.nodes.items[i];
        // A mask on the cotangent goes behind the local derivative: an inf or NaN in a branch not taken stays there.
        int g = cotangent.items[i - first], mask = -1;
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
            if (c < 0 || !is_active(t)) continue;
            if (mask >= 0) c = with_real(b.nodes.items[c].type, [&]<class T>() { return emit_masked<T>(b, mask, c); });
            dims operand = b.shape_of(t);
            if (n.kind == node_kind::elementwise) c = sum_to_operand(b, c, own, operand);
            arrive(t, c);
        }
    }
    list<int> r;
    for (int w : wanted) r.push(w <= last ? cotangent.items[w - first] : -1);
    return r;
}

/// d y / d wanted[i], appended to the graph; -1 where y does not depend on it. `seed` is the cotangent of y.
constexpr list<int> differentiate(builder& b, int y, list<int> const& wanted, int seed) {
    list<int> ys, seeds;
    ys.push(y);
    seeds.push(seed);
    return differentiate(b, ys, seeds, wanted);
}

}  // namespace tapeless::detail
