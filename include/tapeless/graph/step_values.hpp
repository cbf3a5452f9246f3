// SPDX-License-Identifier: MIT
#pragma once
// Products in the steps of a loop that are worth computing of all steps at once.

#include <tapeless/graph/batch.hpp>
#include <tapeless/kernels/machine.hpp>

namespace tapeless::detail::inline graph_part {

/// What the values of a loop's step depend on, and which of them are products with a matrix that is the same in all
/// steps. One product of all steps is as much work as those, but reads the matrix once.
class step_values {
public:
    enum : char { same, by_item, by_carry };  ///< in all steps; depends on items alone; or also on carries

    /// The inputs of the body: so many carries, then items of so many sequences. `needed` says what is computed.
    constexpr step_values(builder const& body, int carries, int sequences, std::int64_t steps, list<char> const& needed)
        : w(body), steps_(steps), state_(w.nodes.size(), same) {
        for (int k = 0; k < carries + sequences; ++k) state_.items[k] = k < carries ? by_carry : by_item;
        for (int i = carries + sequences; i < w.nodes.size(); ++i)
            if (needed.items[i]) state_.items[i] = find_state(w.nodes.items[i]);
    }
    constexpr char state(int id) const { return state_.items[id]; }
    constexpr bool has_many_steps() const {
        return steps_ < 0 || (steps_ >= machine::hoisted_steps && steps_ <= machine::moved_steps);
    }

    /// What product n is made of: a matrix that is the same in all steps, and something else; -1 where it is not.
    struct factors {
        int other = -1, matrix = -1;
    };
    constexpr factors factors_of(node const& n) const {
        int x = n.in[0], y = n.in[1];
        if (n.kind == node_kind::reduce && n.op->combine == combination::sum && is_op(w, n.in[0], builtin::mul)) {
            x = w.nodes.items[n.in[0]].in[0];
            y = w.nodes.items[n.in[0]].in[1];
        } else if (n.kind != node_kind::contract) {
            return {};
        }
        if (state(x) == same) {
            int const matrix = x;
            x = y;
            y = matrix;
        }
        return is_floating(n.type) && state(x) != same && state(y) == same ? factors{x, y} : factors{};
    }
    /// The other factor, if the product is worth computing of all steps at once; otherwise -1.
    constexpr int factor_of(node const& n) const {
        factors const f = factors_of(n);
        return f.other >= 0 && is_worth_moving(n, f.other, f.matrix) ? f.other : -1;
    }

private:
    builder const& w;
    std::int64_t steps_;
    list<char> state_;

    constexpr char find_state(node const& n) const {
        char r = same;
        for (int j = 0; j < n.arity(); ++j) r = state(n.in[j]) > r ? state(n.in[j]) : r;
        if (r != by_item) return r;
        bool const moves = n.kind == node_kind::elementwise || n.kind == node_kind::reduce ||
                           n.kind == node_kind::contract || n.is_axes_view() || n.is_slice() || n.is_reshape();
        return moves && n.item_axes == 0 && w.shapes.items[n.shape].rank < max_rank ? r : char{by_carry};
    }
    constexpr bool is_worth_moving(node const& n, int x, int y) const {
        dims const left = w.shape_of(x), matrix = w.shape_of(y);
        std::int64_t const vx = varying(left), vy = varying(matrix), summed = vx & vy & n.attr.axes;
        std::int64_t const rows = vx & ~n.attr.axes, columns = vy & ~n.attr.axes;
        if (!columns || !summed || (rows & columns) || ((vx ^ vy) & n.attr.axes)) return false;
        if (rows && (rows & -rows) <= columns) return false;  // the rows of all steps would not follow one another
        if (left.rank == max_rank || matrix.rank == max_rank) return false;
        std::int64_t const many = length(left, rows), wide = length(matrix, columns), deep = length(left, summed);
        if (many < 0 || many > machine::hoisted_rows || wide < 0 || deep < 0) return false;
        if (wide * deep < machine::hoisted_work) return false;
        std::int64_t const large = wide > deep ? wide : deep, small = wide > deep ? deep : wide;
        if (steps_ < 0) return large <= machine::hoisted_growth * small;
        return steps_ >= machine::hoisted_steps && steps_ * many * large * size_of(n.type) <= machine::hoisted_bytes;
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
};

/// The values `ys` of a step at all steps, as a body: of `from` at all steps, and of the inputs from `first` on.
constexpr body cut_of_all_steps(body_editor& opened, std::int64_t steps, list<int> const& ys, list<int> const& from,
                                int first, int inputs) {
    builder& w = opened.graph;
    std::int64_t const length = opened.lent(steps);
    list<int> sequences;
    for (int x : from) sequences.push(opened.add_argument(with_leading(w, length, w.shape_of(x)), w.nodes[x].type));
    list<int> all = sequences;
    for (int k = first; k < inputs; ++k) all.push(k);
    return cut_out(w, all, batch(w, ys, from, sequences), opened.shared);
}

}  // namespace tapeless::detail::graph_part
