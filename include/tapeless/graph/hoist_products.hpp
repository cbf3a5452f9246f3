// SPDX-License-Identifier: MIT
#pragma once
// Products of a loop's steps that depend on no carry are computed of all steps before the loop.

#include <tapeless/graph/batch.hpp>
#include <tapeless/kernels/machine.hpp>

namespace tapeless::detail {

/// The products x_t W in the step of a loop, where x_t depends on items of sequences alone and W is the same in all
/// steps: one product of all steps is as much work as those, but reads W once. What is done to it element by element,
/// and depends on no carry either, goes along.
class product_hoister {
public:
    list<int> hoisted;  ///< values of a step that become sequences

    /// The inputs of the body: so many carries, then items of so many sequences.
    constexpr product_hoister(builder const& body, int carries, int sequences, std::int64_t steps,
                              list<int> const& outputs)
        : w(body), steps_(steps), state_(w.nodes.size(), same) {
        int const n = w.nodes.size();
        for (int k = 0; k < carries + sequences; ++k) state_.items[k] = k < carries ? by_carry : by_item;
        list<char> needed(n, 0), moves(n, 0), stays(n, 0);
        list<int> uses(n, 0);
        for (int o : outputs) needed.items[o] = stays.items[o] = 1;
        for (int i = n - 1; i >= 0; --i)
            for (int j = 0; needed.items[i] && j < w.nodes.items[i].arity(); ++j) {
                needed.items[w.nodes.items[i].in[j]] = 1;
                ++uses.items[w.nodes.items[i].in[j]];
            }
        bool any = false;
        for (int i = carries + sequences; i < n; ++i) {
            if (!needed.items[i]) continue;
            state_.items[i] = state_of(w.nodes.items[i]);
            if (state_.items[i] != by_item) continue;
            moves.items[i] = is_worth_moving(w.nodes.items[i]) || follows(w.nodes.items[i], moves, uses);
            any = any || moves.items[i];
        }
        if (!any) return;
        for (int i = 0; i < n; ++i)  // what the steps read that stay
            for (int j = 0; needed.items[i] && !moves.items[i] && j < w.nodes.items[i].arity(); ++j)
                stays.items[w.nodes.items[i].in[j]] = 1;
        for (int i = 0; i < n; ++i)
            if (moves.items[i] && stays.items[i]) hoisted.push(i);
    }

private:
    enum : char { same, by_item, by_carry };  ///< in all steps; depends on items alone; or also on carries
    builder const& w;
    std::int64_t steps_;
    list<char> state_;

    constexpr char state_of(node const& n) const {
        char r = same;
        for (int j = 0; j < n.arity(); ++j) r = state_.items[n.in[j]] > r ? state_.items[n.in[j]] : r;
        if (r != by_item) return r;
        bool const moves = n.kind == node_kind::elementwise || n.kind == node_kind::reduce ||
                           n.kind == node_kind::contract || n.is_axes_view() || n.is_slice() || n.is_reshape();
        return moves && n.item_axes == 0 && w.shapes.items[n.shape].rank < max_rank ? r : char{by_carry};
    }

    /// Whether n is a product of an item and a matrix that is the same in all steps, worth computing of all of them.
    constexpr bool is_worth_moving(node const& n) const {
        int x = n.in[0], y = n.in[1];
        if (n.kind == node_kind::reduce && n.op->combine == combination::sum && is_op(w, n.in[0], builtin::mul)) {
            x = w.nodes.items[n.in[0]].in[0];
            y = w.nodes.items[n.in[0]].in[1];
        } else if (n.kind != node_kind::contract) {
            return false;
        }
        if (!is_floating(n.type) || state_.items[x] == state_.items[y]) return false;
        dims const item = w.shape_of(state_.items[x] == same ? y : x), matrix = w.shape_of(state_.items[x] == same ? x : y);
        std::int64_t const vx = varying(item), vy = varying(matrix), summed = vx & vy & n.attr.axes;
        std::int64_t const rows = vx & ~n.attr.axes, columns = vy & ~n.attr.axes;
        if (!columns || !summed || (rows & columns) || ((vx ^ vy) & n.attr.axes)) return false;
        if (rows && (rows & -rows) <= columns) return false;  // the rows of all steps would not follow one another
        std::int64_t const many = length(item, rows), wide = length(matrix, columns), deep = length(item, summed);
        if (many < 0 || many > machine::hoisted_rows || wide < 0 || deep < 0) return false;
        if (wide * deep < machine::hoisted_work) return false;
        if (steps_ < 0) return wide <= machine::hoisted_growth * deep;
        return steps_ >= machine::hoisted_steps &&
               steps_ * many * wide * size_of(n.type) <= machine::hoisted_bytes;
    }
    /// The elements along axes (from the right), or -1 where only run time knows.
    constexpr std::int64_t length(dims const& d, std::int64_t axes) const {
        std::int64_t r = 1;
        for (int k = 0; k < d.rank; ++k)
            if (axes >> k & 1) {
                std::int64_t const e = w.resolve(d.from_right(k));
                r = r < 0 || e < 0 ? -1 : r * e;
            }
        return r;
    }
    /// Whether n is made element by element of a value that moves, or is that value under other axes, and nobody else
    /// needs it.
    constexpr bool follows(node const& n, list<char> const& moves, list<int> const& uses) const {
        if (n.kind != node_kind::elementwise && !n.is_axes_view()) return false;
        std::int64_t const size = w.shapes.items[n.shape].static_size();
        for (int j = 0; j < n.arity(); ++j) {
            int const x = n.in[j];
            if (moves.items[x] && uses.items[x] == 1 && w.shape_of(x).static_size() == size) return true;
        }
        return false;
    }
};

/// Computes the products of a loop's steps that depend on no carry before it: they are sequences of it then. Whether
/// there are any.
constexpr bool hoist_products(builder& b, call_info& c, list<int>& operands) {
    if (c.form != call_form::loop || c.sequences == 0) return false;
    body_editor opened(b, c.body[0]);
    builder& w = opened.graph;
    list<int> const hoisted = product_hoister(w, c.carries, c.sequences, c.steps, opened.outputs).hoisted;
    if (hoisted.empty()) {
        opened.give_back();
        return false;
    }
    list<int> items, whole, outside, inputs, given;
    std::int64_t const steps = opened.lent(c.steps);
    int const inner = c.carries + c.sequences;
    for (int k = 0; k < operands.size(); ++k) {
        if (k < c.carries) continue;
        outside.push(operands[k]);
        if (k < inner) items.push(k);
        whole.push(k < inner ? opened.add_argument(with_leading(w, steps, w.shape_of(k)), w.nodes[k].type) : k);
    }
    list<int> sequences;
    for (int k = 0; k < c.sequences; ++k) sequences.push(whole[k]);
    body const before = cut_out(w, whole, batch(w, hoisted, items, sequences), opened.shared);
    for (int k = 0; k < inner; ++k) inputs.push(k);
    for (int h : hoisted) inputs.push(h);
    for (int k = inner; k < operands.size(); ++k) inputs.push(k);
    c.body[0] = opened.close(inputs, opened.outputs);
    for (int k = 0; k < inner; ++k) given.push(operands[k]);
    for (int x : inline_body(b, before, outside, -1)) given.push(x);
    for (int k = inner; k < operands.size(); ++k) given.push(operands[k]);
    c.sequences += hoisted.size();
    operands = given;
    return true;
}

}  // namespace tapeless::detail
