// SPDX-License-Identifier: MIT
#pragma once
// Short arrays that are put together from elements and taken apart again (the state of a differential equation, step
// by step) are computed element by element, so that one loop makes all of it and nothing goes through memory.

#include <tapeless/graph/simplify.hpp>

namespace tapeless::detail::inline graph_part {

/// What run time looks at, and what is made twice, under new numbers: `moved(id)` of nodes below `nodes` that are live.
template <class Moved>
constexpr void move_notes(builder& b, int nodes, list<char> const& live, Moved const& moved) {
    auto is_live = [&](int id) { return id < nodes && live.items[id]; };
    for (int i = 0, n = b.index_checks.size(); i < n; ++i) {
        index_check const c = b.index_checks.items[i];
        if (!is_live(c.index) || (c.lengths >= 0 && !is_live(c.lengths))) continue;
        b.check_index(moved(c.index), dims(b.shapes.items[c.shape]), c.rule, c.lengths < 0 ? -1 : moved(c.lengths));
    }
    for (int i = 0, n = b.remade.size(); i < n; ++i) {
        made_again const m = b.remade.items[i];
        if (is_live(m.value) && is_live(m.by)) b.remade.push({moved(m.value), moved(m.by)});
    }
}

/// Node i on what its operands have become, `whole(id)`: i itself where these are the same.
template <class Whole>
constexpr int emit_on(builder& b, int i, Whole const& whole) {
    node n = b.nodes.items[i];
    bool changed = false;
    for (int j = 0, count = n.needed_inputs(); j < count; ++j) {
        int const t = whole(n.in[j]);
        if (t == n.in[j]) continue;
        n.in[j] = t;
        changed = true;
    }
    if (n.kind == node_kind::alias) return n.in[0];
    if (!changed) return i;
    return n.item_axes > 0 ? emit_for_items(b, n) : b.emit(*n.op, n);
}

/// Elements along the last axis. What is taken out of an array that was put together is what was put there; arrays are
/// put together only where they are needed as such.
class by_element {
public:
    /// Beyond, a loop over them is better: Runge-Kutta steps of 6, 8, 10, 12 and 16 numbers with gradient take 1.03,
    /// 1.05, 1.34, 1.44 and 1.38 times as long by element, a batch of those of 12 numbers 1.03 times.
    static constexpr std::int64_t most_elements = 8;
#if defined(__clang__)
    static constexpr int most_nodes = 256;  ///< beyond, programs would come close to clang's limit of steps
#else
    static constexpr int most_nodes = 512;  ///< beyond, compiling would take too long
#endif
    static constexpr int most_cost = 12;  ///< of one operation on few elements: beyond, a register of them is better

    constexpr explicit by_element(traced& t) : b_(t.graph), nodes_(t.graph.nodes.size()) {
        bool any = false;
        for (int i = 0; i < nodes_ && !any; ++i) any = b_.nodes.items[i].kind == node_kind::put;
        if (!any) return;
        split_ = list<char>(nodes_, 0);
        list<char> put(nodes_, 0), taken(nodes_, 0), live(nodes_, 0);  // together; apart
        any = false;
        find_lengths();
        for (int i = 0; i < nodes_; ++i) {
            node const& n = b_.nodes.items[i];
            if (n.kind == node_kind::put) {
                put.items[i] = is_of_elements(i);
                any = any || put.items[i];
            } else if (any) {
                bool below = false;
                for (int j = 0, count = inputs(n); j < count; ++j) below = below || put.items[n.in[j]];
                put.items[i] = below && goes_by_element(i);
            }
        }
        if (!any) return;
        int added = 0;
        bool apart = false;
        for (int o : t.outputs) live.items[o] = 1;
        for (int i = nodes_ - 1; i >= 0; --i) {
            if (!live.items[i]) continue;
            node const& n = b_.nodes.items[i];
            if (put.items[i] || taken.items[i]) {
                bool const alone = is_alone(i), cheap = n.kind != node_kind::elementwise || n.op->cost <= most_cost;
                split_.items[i] = goes_by_element(i) && ((cheap && (put.items[i] || (taken.items[i] && alone))) ||
                                                         (put.items[i] && taken.items[i] && !alone));
                if (split_.items[i]) added += length(i);
                apart = apart || (split_.items[i] && taken.items[i] && put.items[i]);
            }
            bool const takes = split_.items[i] || (n.kind == node_kind::view && takes_element(n)) ||
                               (n.kind == node_kind::reduce && put.items[n.in[0]] && is_short_sum(n));
            for (int j = 0, count = inputs(n); j < count; ++j) {
                live.items[n.in[j]] = 1;
                if (takes && length(n.in[j]) > 1) taken.items[n.in[j]] = 1;
            }
        }
        if (!apart || added > most_nodes) return;
        to_ = first_ = list<int>(nodes_, -1);
        for (int i = 0; i < nodes_; ++i) {
            if (!live.items[i]) continue;
            if (split_.items[i]) compute_elements(i);
            else to_.items[i] = again(i);
        }
        for (int& o : t.outputs) o = whole(o);
        move_notes(b_, nodes_, live, [&](int id) { return whole(id); });
    }

private:
    builder& b_;
    int nodes_;
    list<int> to_, first_;  ///< of a node: what it has become; where its elements are in the list
    list<char> split_;      ///< computed element by element
    list<int> elements_;
    list<char> lengths_;  ///< of each shape

    static constexpr int inputs(node const& n) { return n.needed_inputs(); }
    constexpr void find_lengths() {
        for (dims const& d : b_.shapes) {
            std::int64_t const e = d.rank == 0 ? 1 : b_.resolve(d.from_right(0));
            lengths_.push(static_cast<char>(e >= 1 && e <= most_elements ? e : 0));
        }
    }
    /// How many elements there are along the last axis, if that is known and they are few; 0 otherwise.
    constexpr int length(int i) const { return lengths_.items[b_.nodes.items[i].shape]; }
    /// Whether there are no other axes.
    constexpr bool is_alone(int i) const {
        dims const& d = b_.shape_of(i);
        for (int k = 1; k < d.rank; ++k)
            if (b_.resolve(d.from_right(k)) != 1) return false;
        return true;
    }
    /// A put whose window is so many elements of the last axis.
    constexpr bool is_of_elements(int i) const {
        node const& n = b_.nodes.items[i];
        node const& w = b_.nodes.items[n.in[2]];
        return n.item_axes == 0 && length(i) > 1 && is_floating(n.type) && is_slice_of_elements(w) &&
               b_.nodes.items[w.in[0]].kind == node_kind::blank;
    }
    constexpr bool is_slice_of_elements(node const& n) const {
        return n.is_slice() && n.item_axes == 0 && n.attr.axes == 0 && n.attr.offset >= 0 && n.attr.step() > 0;
    }
    constexpr bool takes_element(node const& n) const {
        return is_slice_of_elements(n) && length(n.in[0]) > 1 && b_.shapes.items[n.shape].from_right(0) == 1;
    }
    /// A sum, or the largest, of the elements.
    constexpr bool is_short_sum(node const& n) const {
        return n.kind == node_kind::reduce && n.item_axes == 0 && n.attr.axes == 1 && is_floating(n.type) &&
               n.op->in[0] == n.type && length(n.in[0]) > 1 &&
               (n.op->combine == combination::sum || n.op->combine == combination::max ||
                n.op->combine == combination::min);
    }
    constexpr bool goes_by_element(int i) const {
        node const& n = b_.nodes.items[i];
        if (n.item_axes != 0 || length(i) < 2) return false;
        if (n.kind == node_kind::put) return is_of_elements(i);
        if (n.kind == node_kind::alias) return true;
        if (is_slice_of_elements(n)) return length(n.in[0]) > 1;
        return n.kind == node_kind::elementwise && b_.nodes.items[n.in[0]].type != dtype::b8;
    }

    constexpr int whole(int i) {
        if (to_.items[i] < 0) to_.items[i] = assembled(i);
        return to_.items[i];
    }
    constexpr int again(int i) {
        node const n = b_.nodes.items[i];
        if (takes_element(n) && split_.items[n.in[0]]) return sized(element_of(n.in[0], n.attr.offset), n.shape);
        if (is_short_sum(n) && split_.items[n.in[0]]) return sized(sum_of_elements(n), n.shape);
        return emit_on(b_, i, [&](int id) { return whole(id); });
    }
    constexpr int sized(int x, int shape) { return emit_expand(b_, x, dims(b_.shapes.items[shape])); }
    constexpr int assembled(int i) {
        if (is_mask(b_.nodes.items[i].type))  // there are no masks in memory, so it is computed again as a whole
            return emit_on(b_, i, [&](int id) { return whole(id); });
        int const zeros = b_.blank(b_.nodes.items[i].shape, b_.nodes.items[i].type);
        int all = zeros;
        for (int e = 0, count = length(i); e < count; ++e) {
            int const window = emit_slice(b_, zeros, 0, e, 1, 1);
            all = emit_put(b_, all, sized(element_of(i, e), b_.nodes.items[window].shape), window, false);
        }
        return all;
    }
    /// In the order of the graph, so that nothing goes deep.
    constexpr void compute_elements(int i) {
        int const first = elements_.size();
        for (int e = 0, count = length(i); e < count; ++e) elements_.push(compute(b_.nodes.items[i], e));
        first_.items[i] = first;
    }
    /// Element e along the last axis of a node, whose extent there is 1 then; a node that has one element is that one.
    constexpr int element_of(int i, std::int64_t e) {
        if (first_.items[i] >= 0) return elements_.items[first_.items[i] + static_cast<int>(e)];
        node const& n = b_.nodes.items[i];
        if (n.kind == node_kind::constant || b_.shape_of(i).from_right(0) == 1) return whole(i);
        if (n.kind == node_kind::blank) return b_.constant(0, n.type);
        if (n.kind == node_kind::coordinate) return b_.constant(static_cast<double>(e), n.type);
        return emit_slice(b_, whole(i), 0, e, 1, 1);
    }
    constexpr int compute(node n, std::int64_t e) {
        if (n.kind == node_kind::alias) return element_of(n.in[0], e);
        if (n.is_slice()) return element_of(n.in[0], n.attr.offset + n.attr.step() * e);
        if (n.kind == node_kind::put) {
            node const w = b_.nodes.items[n.in[2]];
            std::int64_t const from = e - w.attr.offset, at = from / w.attr.step();
            if (from < 0 || from % w.attr.step() != 0 || at >= b_.shapes.items[w.shape].from_right(0))
                return element_of(n.in[0], e);
            int const part = element_of(n.in[1], at);
            return n.attr.adds() ? binary(combination::sum, element_of(n.in[0], e), part) : part;
        }
        if (n.op->same_value) {
            dims d = b_.shapes.items[n.attr.shape];
            d.extent[d.rank - 1] = 1;
            n.attr.shape = b_.intern(d);
        }
        for (int j = 0; j < n.arity(); ++j) n.in[j] = element_of(n.in[j], e);
        return b_.emit(*n.op, n);
    }
    constexpr int sum_of_elements(node const& n) {
        int r = element_of(n.in[0], 0);
        for (int e = 1, count = length(n.in[0]); e < count; ++e) r = binary(n.op->combine, r, element_of(n.in[0], e));
        return r;
    }
    constexpr int binary(combination how, int x, int y) {
        real_rules const& real = b_.real(x);
        return (how == combination::sum ? real.add : how == combination::max ? real.maximum : real.minimum)(b_, x, y);
    }
};

}  // namespace tapeless::detail::graph_part
