// SPDX-License-Identifier: MIT
#pragma once
// Sums over pairs of items, each with each, that are the same, or the same but for the sign, when the two are
// exchanged: of such a matrix only one triangle is computed, and loops leave the other out (schedule/triangle.hpp).

#include <tapeless/graph/by_element.hpp>

namespace tapeless::detail::inline graph_part {

/// Finds matrices, all of whose sums are such, and sums over a triangle of each instead.
class mirrored {
public:
    constexpr explicit mirrored(traced& t) : b_(t.graph), nodes_(t.graph.nodes.size()) {
        if (!has_pairs()) return;
        live_ = list<char>(nodes_, 0);
        for (int o : t.outputs) live_.items[o] = 1;
        for (int i = nodes_ - 1; i >= 0; --i)
            for (int j = 0, n = live_.items[i] ? b_.nodes.items[i].needed_inputs() : 0; j < n; ++j)
                live_.items[b_.nodes.items[i].in[j]] = 1;
        signs_ = list<char>(nodes_, unknown);
        for (int o : t.outputs)
            if (axes a; is_pair(o, a)) return;
        if (!are_all_mirrored()) return;
        to_ = list<int>(nodes_, -1);
        for (int i = 0; i < nodes_; ++i)
            if (live_.items[i]) to_.items[i] = is_sum_of_pairs(i) ? triangle_of(i) : again(i);
        for (int& o : t.outputs) o = to_.items[o];
        move_notes(b_, nodes_, live_, [&](int id) { return to_.items[id]; });
    }

private:
    static constexpr char unknown = 3;
    static constexpr int worth_it = 12;            ///< instructions for a pair: the masks of a triangle take some, too
    static constexpr std::int64_t few_items = 32;  ///< of so few a triangle saves nothing
    static constexpr int deepest = 8;
    /// The axes of pairs, from the right.
    struct axes {
        int row = -1, column = -1;
    };

    builder& b_;
    int nodes_;
    list<char> live_, signs_;
    list<int> to_;

    /// Whether a value has one element for each pair of items, and nothing else.
    constexpr bool is_pair(int id, axes& a) const {
        dims const& d = b_.shape_of(id);
        int found = 0;
        std::int64_t length = 1;
        for (int k = 0; k < d.rank; ++k) {
            std::int64_t const e = b_.resolve(d.from_right(k));
            if (e == 1) continue;
            if (++found > 2 || (found == 2 && e != length)) return false;
            length = e;
            (found == 1 ? a.column : a.row) = k;
        }
        return found == 2 && (length < 0 || length >= few_items);
    }
    constexpr bool is_sum_of_pairs(int i) const {
        node const& n = b_.nodes.items[i];
        axes a;
        return n.kind == node_kind::reduce && n.op->combine == combination::sum && n.item_axes == 0 &&
               (n.type == dtype::f32 || n.type == dtype::f64) && b_.nodes.items[n.in[0]].type == n.type &&
               is_pair(n.in[0], a);
    }
    constexpr bool has_pairs() const {
        for (int i = 0; i < nodes_; ++i)
            if (is_sum_of_pairs(i)) return true;
        return false;
    }
    /// Nothing but such sums needs what is computed of pairs, and that is worth halving.
    constexpr bool are_all_mirrored() {
        int cost = 0;
        for (int i = 0; i < nodes_; ++i) {
            if (!live_.items[i]) continue;
            node const& n = b_.nodes.items[i];
            axes a;
            bool const pair = is_pair(i, a), sum = is_sum_of_pairs(i);
            bool const by_element = n.item_axes == 0 && (n.kind == node_kind::elementwise || n.is_axes_view() ||
                                                         n.kind == node_kind::alias);
            if (pair && !by_element) return false;
            if (pair && n.computes_elements()) cost += n.op->cost;
            if (sum) {
                (void)is_pair(n.in[0], a);
                bool const all = (n.attr.axes >> a.row & 1) && (n.attr.axes >> a.column & 1);
                bool const one = (n.attr.axes >> a.row & 1) || (n.attr.axes >> a.column & 1);
                int const sign = sign_of(n.in[0], a, 0);
                if (!one || sign == 0 || (all && sign < 0)) return false;
            }
            for (int j = 0; j < n.needed_inputs() && !pair && !sum; ++j)
                if (is_pair(n.in[j], a)) return false;
        }
        return cost >= worth_it;
    }

    constexpr int base_of(int id) const {
        while (b_.nodes.items[id].kind == node_kind::alias) id = b_.nodes.items[id].in[0];
        return id;
    }
    constexpr bool varies(int id, int axis) const {
        dims const& d = b_.shape_of(id);
        return axis < d.rank && b_.resolve(d.from_right(axis)) != 1;
    }
    /// What a value is times where rows and columns are exchanged: 1 or -1; 0 where it is something else.
    constexpr int sign_of(int id, axes const& a, int depth) {
        id = base_of(id);
        bool const row = varies(id, a.row), column = varies(id, a.column);
        if (row != column) return 0;
        if (!row) return 1;
        if (signs_.items[id] == unknown) signs_.items[id] = static_cast<char>(1 + find_sign(id, a, depth + 1));
        return signs_.items[id] - 1;
    }
    constexpr int find_sign(int id, axes const& a, int depth) {
        node const n = b_.nodes.items[id];
        if (depth > 200 || n.item_axes > 0) return 0;
        if (n.is_axes_view()) {
            axis_map const m{n.attr.axes};
            return m.source(a.row) < 0 || m.source(a.column) < 0
                       ? 0
                       : sign_of(n.in[0], {m.source(a.row), m.source(a.column)}, depth);
        }
        if (n.kind != node_kind::elementwise) return 0;
        int sign[max_inputs]{};
        bool even = true;
        for (int j = 0; j < n.arity(); ++j) {
            sign[j] = sign_of(n.in[j], a, depth);
            even = even && sign[j] == 1;
        }
        if (even) return 1;
        switch (n.op->is) {
            case builtin::neg: return sign[0];
            case builtin::mul: return are_mirrors(n.in[0], n.in[1], a, 0) ? 1 : sign[0] * sign[1];
            case builtin::div: return sign[1] == 1 ? sign[0] : 0;  // on the diagonal the other would be infinite
            case builtin::add:
                return are_mirrors(n.in[0], n.in[1], a, 0) ? 1 : sign[0] == sign[1] ? sign[0] : 0;
            case builtin::sub:
                return are_mirrors(n.in[0], n.in[1], a, 0) ? -1 : sign[0] == sign[1] ? sign[0] : 0;
            case builtin::equal: return are_mirrors(n.in[0], n.in[1], a, 0) ? 1 : 0;
            case builtin::where:
                if (sign[0] != 1) return 0;
                if (b_.is_constant(n.in[1], 0)) return sign[2];
                if (b_.is_constant(n.in[2], 0)) return sign[1];
                return sign[1] == sign[2] ? sign[1] : 0;
            default: return 0;
        }
    }
    /// The source of a view, and the axis of it (or -1) that lies along an axis of the view.
    constexpr int seen_along(int& id, int axis) const {
        node const& n = b_.nodes.items[id];
        if (!n.is_axes_view()) return varies(id, axis) ? axis : -1;
        int const k = axis_map{n.attr.axes}.rank() > axis ? axis_map{n.attr.axes}.source(axis) : -1;
        id = n.in[0];
        return k >= 0 && varies(id, k) ? k : -1;
    }
    /// Whether x is along the rows what y is along the columns: the same of the two items of a pair.
    constexpr bool are_mirrors(int x, int y, axes const& a, int depth) const {
        x = base_of(x), y = base_of(y);
        if (depth > deepest) return false;
        if (varies(x, a.row) == varies(x, a.column)) return x == y && !varies(x, a.row);
        if (varies(x, a.row) != varies(y, a.column) || varies(x, a.column) != varies(y, a.row)) return false;
        bool const along_rows = varies(x, a.row);
        int from_x = x, from_y = y;
        int const k = seen_along(from_x, along_rows ? a.row : a.column),
                  l = seen_along(from_y, along_rows ? a.column : a.row);
        if (base_of(from_x) == base_of(from_y) && k == l && k >= 0 && is_line(from_x, k)) return true;
        node const &m = b_.nodes.items[x], &n = b_.nodes.items[y];
        if (!m.computes_elements() || !n.computes_elements() || !same_operation(m.op, n.op)) return false;
        if (m.item_axes > 0 || n.item_axes > 0 || m.attr.axes != n.attr.axes || m.attr.offset != n.attr.offset ||
            m.attr.number != n.attr.number || m.attr.shape >= 0 || n.attr.shape >= 0)
            return false;
        for (int j = 0; j < m.arity(); ++j)
            if (!are_mirrors(m.in[j], n.in[j], a, depth + 1)) return false;
        return true;
    }
    /// One element for each item, and nothing else.
    constexpr bool is_line(int id, int axis) const {
        for (int k = 0; k < b_.shape_of(id).rank; ++k)
            if (k != axis && varies(id, k)) return false;
        return true;
    }

    constexpr int again(int i) {
        return emit_on(b_, i, [&](int id) { return to_.items[id]; });
    }
    /// The sums over one triangle that make up those over all.
    constexpr int triangle_of(int i) {
        node const n = b_.nodes.items[i];
        axes a;
        (void)is_pair(n.in[0], a);
        dims const d = b_.shape_of(n.in[0]);
        int const x = to_.items[n.in[0]], sign = sign_of(n.in[0], a, 0);
        real_rules const& real = b_.real(i);
        bool const rows = n.attr.axes >> a.column & 1, columns = n.attr.axes >> a.row & 1;
        int const half = real.from_diagonal(b_, d, a.row, a.column, x);
        if (rows && columns) {
            int const twice = real.mul(b_, b_.constant(2, n.type), x);
            int const all = real.choice(b_, real.diagonal(b_, d, a.row, a.column), x, twice);
            return real.sum(b_, real.from_diagonal(b_, d, a.row, a.column, all), n.attr.axes);
        }
        int behind = half;  // what is the same but for its sign has nothing on the diagonal
        if (sign > 0) {
            int const rest = real.choice(b_, real.diagonal(b_, d, a.row, a.column), b_.constant(0, n.type), x);
            behind = real.from_diagonal(b_, d, a.row, a.column, rest);
        }
        std::int64_t const row = std::int64_t{1} << a.row, column = std::int64_t{1} << a.column,
                           others = n.attr.axes & ~(row | column);
        int const of_rows = real.sum(b_, half, others | column), of_columns = real.sum(b_, behind, others | row);
        axis_map exchanged = axis_map::of_rank(d.rank);
        for (int k = 0; k < d.rank; ++k) exchanged.set(k, k == a.row ? a.column : k == a.column ? a.row : k);
        int const here = rows ? of_rows : of_columns,
                  there = emit_axes(b_, rows ? of_columns : of_rows, exchanged);
        return (sign > 0 ? real.add : real.sub)(b_, here, there);
    }
};

}  // namespace tapeless::detail::graph_part
