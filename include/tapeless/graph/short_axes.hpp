// SPDX-License-Identifier: MIT
#pragma once
// Items of a few numbers each (3-vectors, 2 x 2 matrices): sums and products over their short axes are written out
// term by term, so that loops run over the items, many of them in a register. Pairs of items, each with each, too.

#include <tapeless/graph/by_element.hpp>

namespace tapeless::detail {

/// Writes out what is reduced along short axes. The terms are computed from elements of what comes in. What is
/// expensive is computed once: where others need it too, they are computed from its elements as well. Arrays are put
/// together only where they are needed as such.
class short_axes {
public:
    static constexpr std::int64_t most_terms = 8, most_elements = 32, many_items = 32;
    static constexpr std::int64_t most_terms_of_windows = 32;  ///< these are slices, read in place
    static constexpr std::int64_t most_terms_of_pairs = 16;    ///< their elements are read by many
    /// that are added to a graph: beyond, compiling would take too long
    static constexpr std::int64_t most_nodes = 256;
    static constexpr std::int64_t most_nodes_of_pairs = 96;  ///< beyond, one loop would not take them all

    constexpr explicit short_axes(traced& t)
        : b_(t.graph),
          nodes_(t.graph.nodes.size()),
          to_(nodes_, -1),
          known_(nodes_, -1),
          of_pairs_(!b_.has_items),
          splits_(nodes_, 0),
          terms_(nodes_, 0),
          windowed_(nodes_, 0),
          paired_(nodes_, 0) {
        for (int i = 0; i < nodes_; ++i) {
            node const& n = b_.nodes.items[i];
            windowed_.items[i] = n.is_windows();
            for (int j = 0; j < inputs(n) && goes_by_element(n); ++j)
                windowed_.items[i] = windowed_.items[i] || windowed_.items[n.in[j]];
            of_pairs_ = of_pairs_ && !windowed_.items[i];
        }
        for (int i = 0; i < nodes_ && of_pairs_; ++i) paired_.items[i] = is_of_pairs(i);
        for (int i = 0; i < nodes_; ++i)
            if (node const& n = b_.nodes.items[i]; n.kind == node_kind::reduce && paired_.items[n.in[0]] && is_short(n))
                shapes_of_pairs_.push(b_.nodes.items[n.in[0]].shape);
        list<char> live(nodes_, 0), inside(nodes_, 1);  // inside: only needed for what is written out
        bool any = false;
        for (int o : t.outputs) live.items[o] = 1, inside.items[o] = 0;
        for (int i = nodes_ - 1; i >= 0; --i) {
            if (!live.items[i]) continue;
            node const& n = b_.nodes.items[i];
            splits_.items[i] = is_short(n) || is_along_pairs(n);
            any = any || splits_.items[i];
            bool const below = splits_.items[i] || (terms_.items[i] && goes_by_element(n));
            std::int64_t axes = every_axis;
            if (below && of_pairs_)
                axes = splits_.items[i] ? short_ones_of(n.in[0]) : through(n, terms_.items[i]);
            for (int j = 0; j < inputs(n); ++j) {
                live.items[n.in[j]] = 1;
                if (below) terms_.items[n.in[j]] |= varying(b_.shape_of(n.in[j])) & axes;
                if (!splits_.items[i] && !(goes_by_element(n) && inside.items[i])) inside.items[n.in[j]] = 0;
            }
        }
        if (!any) return;
        list<char> shared(nodes_, 0);
        for (int i = 0; i < nodes_; ++i) {
            node const& n = b_.nodes.items[i];
            if (!live.items[i] || !goes_by_element(n) || !has_short_axes(b_.shape_of(i))) continue;
            shared.items[i] = n.kind == node_kind::elementwise && terms_.items[i] && n.op->cost > 2 && !inside.items[i];
            for (int j = 0; j < inputs(n); ++j) {
                if (!shared.items[n.in[j]]) continue;
                shared.items[i] = 1;
                terms_.items[i] |= varying(b_.shape_of(i)) & onto(n, terms_.items[n.in[j]]);
            }
            if (shared.items[i]) splits_.items[i] = 1;
        }
        std::int64_t added = 0;
        for (int i = 0; i < nodes_; ++i)
            if (live.items[i] && (splits_.items[i] || (terms_.items[i] && goes_by_element(b_.nodes.items[i]))))
                added += short_elements(i);
        if (added > (of_pairs_ ? most_nodes_of_pairs : most_nodes)) return;
        for (int i = 0; i < nodes_; ++i) {
            if (!live.items[i]) continue;
            bool const by_element =
                terms_.items[i] && goes_by_element(b_.nodes.items[i]) && has_short_axes(b_.shape_of(i));
            if (by_element || splits_.items[i]) compute_elements(i);
            if (!splits_.items[i] && !(by_element && inside.items[i])) to_.items[i] = again(i);
        }
        for (int& o : t.outputs) o = whole(o);
        move_notes(b_, nodes_, live, [&](int id) { return whole(id); });
    }

private:
    /// Along each axis (from the right) the element that is taken, or -1 for all.
    struct selection {
        int at[max_rank];
        constexpr selection() {
            for (int& a : at) a = -1;
        }
        constexpr bool operator==(selection const&) const = default;
    };
    struct element {
        selection at;
        int node = -1, next = -1;
    };

    builder& b_;
    int nodes_;
    list<int> to_, known_;
    bool of_pairs_;      ///< pairs are all there is to look for
    list<char> splits_;  ///< computed element by element
    list<std::int64_t> terms_;   ///< along which axes its elements are terms of what is written out
    list<char> windowed_;  ///< elements along its last axes are elements of windows
    list<char> paired_;    ///< computed from arrays that all lack some axis of it: no element is read once only
    list<int> shapes_of_pairs_;  ///< that are reduced along short axes
    list<element> elements_;

    static constexpr int inputs(node const& n) { return n.needed_inputs(); }
    /// An element of it is computed from elements of the operands. (Of bool in memory only a mask of it has elements.)
    constexpr bool goes_by_element(node const& n) const {
        if (n.kind == node_kind::elementwise) return b_.nodes.items[n.in[0]].type != dtype::b8;
        return n.kind == node_kind::alias || n.is_axes_view();
    }

    /// Whether all that is read for an array computed by element has fewer axes.
    constexpr bool is_of_pairs(int i) const {
        node const& n = b_.nodes.items[i];
        if (n.is_axes_view()) return paired_.items[n.in[0]];
        if (!goes_by_element(n)) return false;
        for (int j = 0; j < inputs(n); ++j)
            if (!paired_.items[n.in[j]] && !lacks_axis(b_.shape_of(n.in[j]), b_.shapes.items[n.shape])) return false;
        return true;
    }
    static constexpr std::int64_t every_axis = (std::int64_t{1} << max_rank) - 1;
    /// The short axes, from the right.
    constexpr std::int64_t short_ones_of(int i) const {
        selection s;
        (void)take_short(b_.shape_of(i), s);
        std::int64_t axes = 0;
        for (int k = 0; k < max_rank; ++k)
            if (s.at[k] >= 0) axes |= std::int64_t{1} << k;
        return axes;
    }
    /// Axes of a node that goes by element, as axes of its operands.
    constexpr std::int64_t through(node const& n, std::int64_t axes) const {
        if (!n.is_axes_view()) return axes;
        axis_map const m{n.attr.axes};
        std::int64_t r = 0;
        for (int k = 0; k < m.rank(); ++k)
            if ((axes >> k & 1) && m.source(k) >= 0) r |= std::int64_t{1} << m.source(k);
        return r;
    }
    /// Axes of its operands as axes of the node.
    constexpr std::int64_t onto(node const& n, std::int64_t axes) const {
        if (!n.is_axes_view()) return axes;
        axis_map const m{n.attr.axes};
        std::int64_t r = 0;
        for (int k = 0; k < m.rank(); ++k)
            if (m.source(k) >= 0 && axes >> m.source(k) & 1) r |= std::int64_t{1} << k;
        return r;
    }
    /// The first of the elements that node i is made of; returns along how many axes there are several.
    constexpr int first_element(int i, selection& s) const {
        node const& n = b_.nodes.items[i];
        dims const& d = b_.shapes.items[n.shape];
        if (!of_pairs_) return take_short(d, s);
        std::int64_t const axes = goes_by_element(n) ? terms_.items[i] : short_ones_of(n.in[0]);
        int several = 0;
        for (int k = 0; k < d.rank; ++k)
            if ((axes >> k & 1) && d.from_right(k) != 1) s.at[k] = 0, ++several;
        return several;
    }
    /// Behind the short axes there are two others.
    constexpr bool is_of_two_items(int i) const {
        dims const& d = b_.shape_of(i);
        selection s;
        int others = 0;
        if (take_short(d, s) == 0) return false;
        for (int k = 0; k < d.rank; ++k) others += s.at[k] < 0 && d.from_right(k) != 1;
        return others >= 2;
    }
    constexpr bool lacks_axis(dims const& x, dims const& of) const {
        for (int k = 0; k < of.rank; ++k)
            if (x.from_right(k) == 1 && of.from_right(k) != 1) return true;
        return x.rank == 0;
    }
    /// Whether pairs that are also reduced along their short axes are reduced along others.
    constexpr bool is_along_pairs(node const& n) const {
        if (n.kind != node_kind::reduce || !paired_.items[n.in[0]] || n.op->in[0] != n.type) return false;
        bool known = false;
        for (int s : shapes_of_pairs_) known = known || s == b_.nodes.items[n.in[0]].shape;
        return known && is_along_items(n);
    }
    /// Whether none of the axes that are reduced is a short one.
    constexpr bool is_along_items(node const& n) const {
        selection s;
        (void)take_short(b_.shape_of(n.in[0]), s);
        for (int k = 0; k < max_rank; ++k)
            if (s.at[k] >= 0 && n.attr.axes >> k & 1) return false;
        return true;
    }

    /// Whether only short axes are summed over, behind an axis of many items.
    constexpr bool is_short(node const& n) const {
        if (n.kind != node_kind::reduce && n.kind != node_kind::contract) return false;
        if (n.type != dtype::f32 && n.type != dtype::f64 && n.type != dtype::i32 && n.type != dtype::i64) return false;
        if (n.kind == node_kind::reduce && n.op->in[0] != n.type) return false;
        bool const windows = windowed_.items[n.in[0]] || (n.kind == node_kind::contract && windowed_.items[n.in[1]]);
        bool const pairs = n.kind == node_kind::reduce && paired_.items[n.in[0]] && is_of_two_items(n.in[0]);
        if (!windows && !b_.has_items && !pairs) return false;
        dims const& x = b_.shape_of(n.in[0]);
        dims const& y = n.kind == node_kind::contract ? b_.shape_of(n.in[1]) : x;
        int const rank = x.rank > y.rank ? x.rank : y.rank;
        std::int64_t elements = 1, terms = 1;
        int k = 0;
        for (; k < rank; ++k) {
            std::int64_t const a = b_.resolve(x.from_right(k)), c = b_.resolve(y.from_right(k)), e = a == 1 ? c : a;
            if (e < 0 || e * elements > most_elements) break;
            elements *= e;
            if (n.attr.axes >> k & 1) terms *= e;
        }
        int const lanes = n.type == dtype::f32 || n.type == dtype::i32 ? simd::lanes<float> : simd::lanes<double>;
        std::int64_t const most = windows ? most_terms_of_windows : pairs ? most_terms_of_pairs : most_terms;
        if (k == rank || terms < 2 || terms > most || n.attr.axes >> k) return false;
        if (!windows && !pairs && n.kind == node_kind::reduce && terms > 4 && terms % lanes == 0)
            return false;  // whole registers are as good
        auto many = [&](dims const& d) {
            std::int64_t const e = b_.resolve(d.from_right(k));
            return e < 0 || e >= (pairs ? lanes : many_items);
        };
        return windows ? many(x) || many(y) : many(x) && many(y);
    }

    constexpr int whole(int i) {
        if (to_.items[i] < 0) to_.items[i] = assembled(i);
        return to_.items[i];
    }
    constexpr int again(int i) {
        node n = b_.nodes.items[i];
        bool changed = false;
        for (int j = 0; j < inputs(n); ++j) {
            int const t = whole(n.in[j]);
            if (t == n.in[j]) continue;
            n.in[j] = t;
            changed = true;
        }
        if (n.kind == node_kind::alias) return n.in[0];
        if (!changed) return i;
        return n.item_axes > 0 ? emit_for_items(b_, n) : b_.emit(*n.op, n);
    }
    /// The whole array, from its elements along the short axes.
    constexpr int assembled(int i) {
        dims const d = b_.shape_of(i);
        selection s;
        if (first_element(i, s) == 0) return element_of(i, s);
        int const zeros = b_.blank(b_.nodes.items[i].shape, b_.nodes.items[i].type);
        int all = zeros;
        do {
            int window = zeros;
            dims part = d;
            for (int k = 0; k < d.rank; ++k)
                if (s.at[k] >= 0 && d.from_right(k) != 1) {
                    window = emit_slice(b_, window, k, s.at[k], 1, 1);
                    part.extent[d.rank - 1 - k] = 1;
                }
            all = emit_put(b_, all, emit_expand(b_, element_of(i, s), part), window, false);
        } while (next(d, s));
        return all;
    }
    /// How many nodes it becomes: its elements, or their terms.
    constexpr std::int64_t short_elements(int i) const {
        node const& n = b_.nodes.items[i];
        bool const written = splits_.items[i] && !goes_by_element(n);
        dims const& d = written ? b_.shape_of(n.in[0]) : b_.shapes.items[n.shape];
        selection s;
        (void)take_short(d, s);
        std::int64_t elements = 1;
        for (int k = 0; k < d.rank; ++k)
            if (s.at[k] >= 0) elements *= b_.resolve(d.from_right(k));
        return elements;
    }
    constexpr bool has_short_axes(dims const& d) const {
        selection s;
        return take_short(d, s) > 0;
    }
    /// In the order of the graph, so that nothing goes deep.
    constexpr void compute_elements(int i) {
        dims const d = b_.shape_of(i);
        selection s;
        (void)first_element(i, s);
        do (void)element_of(i, s);
        while (next(d, s));
    }
    /// The first element along all short axes of d, behind an axis of many items; returns how many of them are longer
    /// than 1.
    constexpr int take_short(dims const& d, selection& s) const {
        std::int64_t elements = 1;
        int n = 0;
        for (int k = 0; k < d.rank; ++k) {
            std::int64_t const e = b_.resolve(d.from_right(k));
            if (e < 0 || e * elements > most_elements) return n;
            elements *= e;
            if (e != 1) s.at[k] = 0, ++n;
        }
        s = {};
        return 0;
    }
    constexpr bool next(dims const& d, selection& s) const {
        for (int k = 0; k < d.rank; ++k) {
            if (s.at[k] < 0) continue;
            if (++s.at[k] < b_.resolve(d.from_right(k))) return true;
            s.at[k] = 0;
        }
        return false;
    }

    /// Element s of a node: its shape with extents of 1 where an element is taken.
    constexpr int element_of(int i, selection s) {
        dims const d = b_.shape_of(i);
        bool any = splits_.items[i];
        for (int k = 0; k < max_rank; ++k) {
            if (d.from_right(k) == 1) s.at[k] = -1;
            any = any || s.at[k] >= 0;
        }
        if (!any) return whole(i);
        for (int e = known_.items[i]; e >= 0; e = elements_.items[e].next)
            if (elements_.items[e].at == s) return elements_.items[e].node;
        int const r = compute(i, s);
        known_.items[i] = elements_.push({s, r, known_.items[i]});
        return r;
    }
    constexpr int compute(int i, selection const& s) {
        node n = b_.nodes.items[i];
        if (splits_.items[i] && n.kind == node_kind::reduce && is_along_items(n)) return reduced_element(n, s);
        if (splits_.items[i] && !goes_by_element(n)) return written_out(n, s);
        if (n.kind == node_kind::constant) return i;
        if (n.kind == node_kind::coordinate && s.at[0] >= 0) return b_.constant(s.at[0], n.type);
        if (n.kind == node_kind::alias) return element_of(n.in[0], s);
        if (n.kind == node_kind::elementwise && goes_by_element(n)) {
            if (n.op->same_value) {
                dims d = b_.shapes.items[n.attr.shape];
                for (int k = 0; k < d.rank; ++k)
                    if (s.at[k] >= 0) d.extent[d.rank - 1 - k] = 1;
                n.attr.shape = b_.intern(d);
            }
            for (int j = 0; j < n.arity(); ++j) n.in[j] = element_of(n.in[j], s);
            return b_.emit(*n.op, n);
        }
        if (n.is_axes_view()) {
            axis_map const m{n.attr.axes};
            selection from;
            for (int k = 0; k < m.rank(); ++k)
                if (s.at[k] >= 0 && m.source(k) >= 0) from.at[m.source(k)] = s.at[k];
            return emit_axes(b_, element_of(n.in[0], from), m);
        }
        int r = whole(i);
        for (int k = 0; k < max_rank; ++k)
            if (s.at[k] >= 0) r = emit_slice(b_, r, k, s.at[k], 1, 1);
        return r;
    }
    /// An element of what is reduced along items. Numbers and signs leave sums: what is put together of elements takes
    /// them up on the way.
    constexpr int reduced_element(node n, selection const& s) {
        n.in[0] = element_of(n.in[0], s);
        if (n.op->combine != reduction::sum || !is_floating(n.type)) return b_.emit(*n.op, n);
        double factor = 1;
        n.in[0] = without_numbers(n.in[0], factor);
        return binary(n.type, reduction::product, b_.constant(factor, n.type), b_.emit(*n.op, n));
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
        return l == n.in[0] && r == n.in[1] ? x : binary(n.type, reduction::product, l, r);
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
            if (product) term = binary(n.type, reduction::product, term, element_of(n.in[1], all));
            r = r < 0 ? term : binary(n.type, product ? reduction::sum : n.op->combine, r, term);
        } while (next(summed, terms));
        return r;
    }
    constexpr int binary(dtype type, reduction how, int x, int y) {
        auto of = [&]<class T>() {
            if (how == reduction::sum) return emit_binary<add_op, T>(b_, x, y);
            if (how == reduction::product) return emit_binary<mul_op, T>(b_, x, y);
            return how == reduction::max ? emit_binary<maximum_op, T>(b_, x, y) : emit_binary<minimum_op, T>(b_, x, y);
        };
        if (type == dtype::f32) return of.template operator()<float>();
        if (type == dtype::f64) return of.template operator()<double>();
        return type == dtype::i32 ? of.template operator()<std::int32_t>() : of.template operator()<std::int64_t>();
    }
};

}  // namespace tapeless::detail
