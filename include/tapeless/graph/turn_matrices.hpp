// SPDX-License-Identifier: MIT
#pragma once
// Matrices that the steps of a loop multiply a vector by are laid out before the loop so that no step has to add up the
// lanes of registers: row after row of the product's sum, rather than one sum for each row.

#include <tapeless/graph/hoist_products.hpp>
#include <tapeless/simd/registers.hpp>

namespace tapeless::detail::inline graph_part {

/// The axis (from the right) of node y along which its elements follow one another in memory: y is an input of a body,
/// or a view of one; otherwise -1.
constexpr int innermost_axis(builder const& w, int y) {
    node const& n = w.nodes.items[y];
    if (n.kind == node_kind::argument) {
        dims const d = w.shape_of(y);
        int k = 0;
        while (k < d.rank && d.from_right(k) == 1) ++k;
        return k < d.rank ? k : -1;
    }
    if (n.is_slice()) return innermost_axis(w, n.in[0]);
    return n.is_axes_view() ? axis_under(n, innermost_axis(w, n.in[0])) : -1;
}

/// The matrices of a loop's step that are better turned, and how.
class turned_matrices {
public:
    list<int> matrices;
    list<axis_map> turns;

    constexpr turned_matrices(builder const& body, call_info const& c, list<int> const& outputs) : w(body) {
        needed_values const all(w, outputs);
        step_values const values(w, c.carries, c.sequences, c.steps, all.needed);
        list<int> wanted, products;  // so many products want each matrix turned
        list<axis_map> ways;
        for (int i = 0; i < w.nodes.size(); ++i) {
            node const& n = w.nodes.items[i];
            if (!all.needed.items[i] || n.kind != node_kind::reduce || n.item_axes > 0) continue;
            step_values::factors const f = values.factors_of(n);
            if (f.matrix < 0 || all.uses.items[n.in[0]] != 1) continue;
            axis_map const turn = find_turn(n, f);
            if (turn.rank() == 0) continue;
            int k = 0;
            while (k < wanted.size() && (wanted[k] != f.matrix || ways[k].bits != turn.bits)) ++k;
            if (k == wanted.size()) {
                wanted.push(f.matrix);
                ways.push(turn);
                products.push(0);
            }
            ++products[k];
        }
        for (int k = 0; k < wanted.size(); ++k)
            if (products[k] == all.uses.items[wanted[k]]) {  // and nobody needs it as it is
                matrices.push(wanted[k]);
                turns.push(ways[k]);
            }
    }

private:
    builder const& w;

    /// The order of axes in which the one that stays comes behind the one that is summed, where that is better.
    constexpr axis_map find_turn(node const& n, step_values::factors const& f) const {
        dims const vector = w.shape_of(f.other), matrix = w.shape_of(f.matrix);
        std::int64_t const vx = varying(vector), vy = varying(matrix), summed = vy & n.attr.axes;
        std::int64_t const stays = vy & ~n.attr.axes;
        if (vx != summed || !is_one_axis(summed) || !is_one_axis(stays)) return {};
        int const s = number_of(summed), c = number_of(stays);
        std::int64_t const length = w.resolve(matrix.from_right(s)), width = w.resolve(matrix.from_right(c));
        std::int64_t const lanes = lanes_of(n.type);
        if (length < 2 || length > machine::turned_registers * lanes || width < lanes) return {};
        if (innermost_axis(w, f.matrix) != s) return {};
        axis_map m = axis_map::of_rank(matrix.rank);
        for (int k = 0; k < matrix.rank; ++k) m.set(k, c < s ? k : k == s ? c : k == c ? s : k);
        return m;
    }
    static constexpr bool is_one_axis(std::int64_t axes) { return axes && !(axes & (axes - 1)); }
    static constexpr int number_of(std::int64_t axis) {
        int k = 0;
        while (axis >> k != 1) ++k;
        return k;
    }
};

/// Hands the steps of a loop such matrices turned. Whether there are any.
constexpr bool turn_matrices(builder& b, call_info& c, list<int>& operands) {
    if (c.form != call_form::loop || (c.steps >= 0 && c.steps < machine::hoisted_steps)) return false;
    body_editor opened(b, c.body[0]);
    turned_matrices const found(opened.graph, c, opened.outputs);
    if (found.matrices.empty()) {
        opened.give_back();
        return false;
    }
    int const inner = c.carries + c.sequences, given = operands.size();
    list<int> inputs, shared, outside;
    list<axis_map> under;
    for (int k = 0; k < given; ++k) {
        inputs.push(k);
        under.push({});
        if (k >= inner) shared.push(k), outside.push(operands[k]);
    }
    body const before = cut_out(opened.graph, shared, found.matrices, opened.shared);
    for (int k = 0; k < found.matrices.size(); ++k) {
        inputs.push(found.matrices[k]);
        under.push(found.turns[k]);
    }
    c.body[0] = opened.close(inputs, opened.outputs, under);
    list<int> const made = inline_body(b, before, outside, -1);
    for (int k = 0; k < made.size(); ++k) operands.push(emit_axes(b, made[k], found.turns[k]));
    return true;
}

}  // namespace tapeless::detail::graph_part
