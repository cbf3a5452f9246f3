// SPDX-License-Identifier: MIT
#pragma once
// Items of a few numbers each (3-vectors, 2 x 2 matrices): sums and products over their short axes are written out
// term by term, so that loops run over the items, many of them in a register. Pairs of items, each with each, too.

#include <tapeless/graph/by_element.hpp>
#include <tapeless/graph/short_terms.hpp>

namespace tapeless::detail::inline graph_part {

/// Writes out what is reduced along short axes. The terms are computed from elements of what comes in. What is
/// expensive is computed once: where others need it too, they are computed from its elements as well. Arrays are put
/// together only where they are needed as such.
class short_axes {
    using selection = short_terms::selection;

public:
    constexpr explicit short_axes(traced& t) : b_(t.graph), nodes_(t.graph.nodes.size()), of_(t.graph, t.outputs) {
        if (!of_.any) return;
        to_ = known_ = list<int>(nodes_, -1);
        for (int i = 0; i < nodes_; ++i) {
            if (!of_.live.items[i]) continue;
            bool const by_element = of_.is_by_element(i);
            if (by_element || of_.splits.items[i]) compute_elements(i);
            if (!of_.splits.items[i] && !(by_element && of_.inside.items[i])) to_.items[i] = again(i);
        }
        for (int& o : t.outputs) o = whole(o);
        move_notes(b_, nodes_, of_.live, [&](int id) { return whole(id); });
    }

private:
    struct element {
        selection at;
        std::uint64_t key = 0;
        int node = -1, next = -1;
    };

    builder& b_;
    int nodes_;
    short_terms of_;
    list<int> to_, known_;
    list<element> elements_;

    constexpr int whole(int i) {
        if (to_.items[i] < 0) to_.items[i] = assembled(i);
        return to_.items[i];
    }
    constexpr int again(int i) {
        node const n = b_.nodes.items[i];
        if (n.kind == node_kind::put && n.item_axes == 0 && of_.splits.items[n.in[1]]) return put_elements(n);
        return emit_on(b_, i, [&](int id) { return whole(id); });
    }
    /// The whole array, from its elements along the short axes.
    constexpr int assembled(int i) {
        selection s;
        if (of_.first_element(i, s) == 0) return element_of(i, s);
        int const zeros = b_.blank(b_.nodes.items[i].shape, b_.nodes.items[i].type);
        return put_elements(zeros, i, s, zeros, false);
    }
    /// What is put somewhere, element by element.
    constexpr int put_elements(node const& n) {
        int const base = whole(n.in[0]), window = whole(n.in[2]);
        selection s;
        (void)of_.first_element(n.in[1], s);
        return put_elements(base, n.in[1], s, window, n.attr.adds());
    }
    constexpr int put_elements(int base, int i, selection s, int window, bool adds) {
        dims const d = b_.shape_of(i);
        do {
            int to = window;
            dims part = d;
            for (int k = 0; k < d.rank; ++k)
                if (s.at[k] >= 0 && d.from_right(k) != 1) {
                    to = emit_slice(b_, to, k, s.at[k], 1, 1);
                    part.extent[d.rank - 1 - k] = 1;
                }
            base = emit_put(b_, base, emit_expand(b_, element_of(i, s), part), to, adds);
        } while (of_.next(d, s));
        return base;
    }
    /// In the order of the graph, so that nothing goes deep.
    constexpr void compute_elements(int i) {
        dims const d = b_.shape_of(i);
        selection s;
        (void)of_.first_element(i, s);
        do (void)element_of(i, s);
        while (of_.next(d, s));
    }
    /// Element s of a node: its shape with extents of 1 where an element is taken.
    constexpr int element_of(int i, selection s) {
        dims const& d = b_.shape_of(i);
        bool any = of_.splits.items[i];
        std::uint64_t key = 0;  // most elements differ in it: comparing selections takes many steps
        for (int k = 0; k < max_rank; ++k) {
            if (s.at[k] < 0) continue;
            if (k >= d.rank || d.extent[d.rank - 1 - k] == 1) s.at[k] = -1;
            else any = true, key = key * 1031 + static_cast<std::uint64_t>(8 * s.at[k] + k + 1);
        }
        if (!any) return whole(i);
        for (int e = known_.items[i]; e >= 0; e = elements_.items[e].next)
            if (elements_.items[e].key == key && elements_.items[e].at == s) return elements_.items[e].node;
        int const r = compute(i, s);
        known_.items[i] = elements_.push({s, key, r, known_.items[i]});
        return r;
    }
    constexpr int compute(int i, selection const& s) {
        node n = b_.nodes.items[i];
        if (of_.splits.items[i] && n.kind == node_kind::reduce && of_.is_along_items(n)) return reduced_element(n, s);
        if (of_.splits.items[i] && !of_.goes_by_element(n)) return written_out(n, s);
        if (n.kind == node_kind::constant) return i;
        if (n.kind == node_kind::coordinate && s.at[0] >= 0) return b_.constant(s.at[0], n.type);
        if (n.kind == node_kind::alias) return element_of(n.in[0], s);
        if (n.kind == node_kind::elementwise && of_.goes_by_element(n)) {
            if (n.op->same_value) {
                dims d = b_.shapes.items[n.attr.shape];
                for (int k = 0; k < d.rank; ++k)
                    if (s.at[k] >= 0) d.extent[d.rank - 1 - k] = 1;
                n.attr.shape = b_.intern(d);
            }
            for (int j = 0; j < n.arity(); ++j) n.in[j] = element_of(n.in[j], s);
            if (double known = 0; of_.is_of_units(i) && is_known(n, known)) return b_.constant(known, n.type);
            if (is_position(n)) return b_.constant(number_of(b_, n.in[0]), n.type);
            return b_.emit(*n.op, n);
        }
        if (of_.runs_along_short(n) && s.at[n.attr.axes] >= 0) return running_element(i, s);
        if (n.is_axes_view()) {
            axis_map const m{n.attr.axes};
            selection from;
            for (int k = 0; k < m.rank(); ++k)
                if (s.at[k] >= 0 && m.source(k) >= 0) from.at[m.source(k)] = s.at[k];
            return emit_axes(b_, element_of(n.in[0], from), m);
        }
        if (of_.slices_elements(n)) {
            int const k = n.attr.axis();
            selection from = s;
            from.at[k] = static_cast<int>(n.attr.offset + n.attr.step() * (s.at[k] < 0 ? 0 : s.at[k]));
            if (s.at[k] >= 0 || b_.shapes.items[n.shape].from_right(k) == 1) return element_of(n.in[0], from);
        }
        int r = whole(i);
        for (int k = 0; k < max_rank; ++k)
            if (s.at[k] >= 0) r = emit_slice(b_, r, k, s.at[k], 1, 1);
        return r;
    }
    /// y(i) = y(i - 1) + x(i), y(i - 1) x(i), x(i - 1) or x(i) y(i - 1) + z(i).
    constexpr int running_element(int i, selection const& s) {
        node const n = b_.nodes.items[i];
        auto const axis = static_cast<int>(n.attr.axes);
        int const last = static_cast<int>(b_.resolve(b_.shape_of(i).from_right(axis))) - 1;
        bool const first = s.at[axis] == (n.attr.runs_backwards() ? last : 0);
        selection before = s;
        before.at[axis] += n.attr.runs_backwards() ? 1 : -1;
        if (n.op->is == builtin::previous)
            return first ? b_.constant(static_cast<double>(n.attr.offset), n.type) : element_of(n.in[0], before);
        if (n.op->is == builtin::recurrence) {
            int const term = element_of(n.in[1], s);
            if (first) return term;
            int const x = binary(n.type, combination::product, element_of(n.in[0], s), element_of(i, before));
            return binary(n.type, combination::sum, x, term);
        }
        int const x = element_of(n.in[0], s);
        auto const how = n.op->is == builtin::running_sum ? combination::sum : combination::product;
        return first ? x : binary(n.type, how, element_of(i, before), x);
    }
    /// A position as a number to compute with.
    constexpr bool is_position(node const& n) const {
        return n.op->is == builtin::cast && (n.type == dtype::f32 || n.type == dtype::f64) && b_.is_constant(n.in[0]) &&
               !is_floating(b_.nodes.items[n.in[0]].type);
    }
    /// Whether an element of what is computed from units is a number, and which: most are 0, and nothing has to be made
    /// for them.
    constexpr bool is_known(node const& n, double& number) const {
        auto is_zero = [&](int j) { return b_.is_constant(n.in[j], 0); };
        if (n.op->same_value && b_.is_constant(n.in[0])) {
            number = number_of(b_, n.in[0]);
            return true;
        }
        if (n.op->is == builtin::cast && is_op(b_, n.in[0], builtin::equal)) {
            int const x = input_of(b_, n.in[0], 0), y = input_of(b_, n.in[0], 1);
            bool const known = b_.is_constant(x) && b_.is_constant(y);
            number = known && number_of(b_, x) == number_of(b_, y);
            return known;
        }
        if (n.op->is == builtin::mul) return is_zero(0) || is_zero(1);
        if (n.op->is == builtin::div) return is_zero(0);
        return n.op->is == builtin::where && is_zero(1) && is_zero(2);
    }
    /// An element of what is reduced along items. Numbers and signs leave sums: what is put together of elements takes
    /// them up on the way.
    constexpr int reduced_element(node n, selection const& s) {
        n.in[0] = element_of(n.in[0], s);
        if (n.op->combine != combination::sum || !is_floating(n.type)) return b_.emit(*n.op, n);
        double factor = 1;
        n.in[0] = without_numbers(n.in[0], factor);
        return binary(n.type, combination::product, b_.constant(factor, n.type), b_.emit(*n.op, n));
    }
    constexpr int without_numbers(int x, double& factor) {
        node const n = b_.nodes.items[x];
        if (is_op(b_, x, builtin::neg)) {
            factor = -factor;
            return without_numbers(n.in[0], factor);
        }
        if (!is_op(b_, x, builtin::mul)) return x;
        if (b_.is_constant(n.in[0]) && is_benign(b_, n.in[0])) {
            factor *= number_of(b_, n.in[0]);
            return without_numbers(n.in[1], factor);
        }
        int const l = without_numbers(n.in[0], factor), r = without_numbers(n.in[1], factor);
        return l == n.in[0] && r == n.in[1] ? x : binary(n.type, combination::product, l, r);
    }
    /// The terms of an element, one after the other.
    constexpr int written_out(node const& n, selection s) {
        bool const product = n.kind == node_kind::contract;
        dims loop = b_.shape_of(n.in[0]);
        if (product) loop = broadcast(b_, loop, dims(b_.shape_of(n.in[1])));
        selection all = s;
        dims summed;
        summed.rank = loop.rank;
        for (int k = 0; k < loop.rank; ++k) {
            bool const is = n.attr.axes >> k & 1;
            summed.extent[loop.rank - 1 - k] = is ? b_.resolve(loop.from_right(k)) : 1;
            if (is) all.at[k] = 0;
        }
        selection terms;
        for (int k = 0; k < loop.rank; ++k)
            if (n.attr.axes >> k & 1) terms.at[k] = 0;
        int r = -1;
        do {
            for (int k = 0; k < loop.rank; ++k)
                if (terms.at[k] >= 0) all.at[k] = terms.at[k];
            int term = element_of(n.in[0], all);
            if (product) term = binary(n.type, combination::product, term, element_of(n.in[1], all));
            r = r < 0 ? term : binary(n.type, product ? combination::sum : n.op->combine, r, term);
        } while (of_.next(summed, terms));
        return r;
    }
    constexpr int binary(dtype type, combination how, int x, int y) {
        if (is_floating(type)) {
            real_rules const& real = b_.real(x);
            return (how == combination::sum       ? real.add
                    : how == combination::product ? real.mul
                    : how == combination::max     ? real.maximum
                                                  : real.minimum)(b_, x, y);
        }
        auto of = [&]<class T>() {
            if (how == combination::sum) return emit_binary<add_op, T>(b_, x, y);
            if (how == combination::product) return emit_binary<mul_op, T>(b_, x, y);
            if (how == combination::max) return emit_binary<maximum_op, T>(b_, x, y);
            return emit_binary<minimum_op, T>(b_, x, y);
        };
        return type == dtype::i32 ? of.template operator()<std::int32_t>() : of.template operator()<std::int64_t>();
    }
};

}  // namespace tapeless::detail::graph_part
