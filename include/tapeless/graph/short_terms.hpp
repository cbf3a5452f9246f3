// SPDX-License-Identifier: MIT
#pragma once
// Items of a few numbers each (3-vectors, 2 x 2 matrices), and pairs of items: which sums over their short axes are
// worth being written out term by term.

#include <tapeless/graph/short_limits.hpp>
#include <tapeless/graph/simplify.hpp>
#include <tapeless/ops/picked.hpp>

namespace tapeless::detail::inline graph_part {

/// Of each node of a graph, whether it is written out, and whether its elements are terms of what is.
class short_terms : public short_limits {
public:
    bool any = false;          ///< is written out
    list<char> live;           ///< the outputs need it
    list<char> inside;         ///< only needed for what is written out
    list<char> splits;         ///< computed element by element
    list<std::int64_t> terms;  ///< along which axes its elements are terms of what is written out

    constexpr short_terms(builder const& b, list<int> const& outputs) : b_(b), of_pairs_(!b.has_items) {
        bool const units = b.has_items && has_places();
        if (!units && !has_sums()) return;  // most bodies of loops end here: clang counts every step
        live = splits = windowed_ = paired_ = picked_ = list<char>(b.nodes.size(), 0);
        inside = list<char>(b.nodes.size(), 1);
        terms = list<std::int64_t>(b.nodes.size(), 0);
        find_pairs();
        if (units) find_units();
        narrow_ = of_pairs_ && shapes_of_pairs_.empty();
        of_pairs_ = of_pairs_ && !narrow_;
        for (int i = 0; i < b.nodes.size() && narrow_ && !costly_; ++i)
            costly_ = b.nodes.items[i].computes_elements() && b.nodes.items[i].op->cost >= costly && has_many(i);
        if (narrow_) find_picked();
        find_terms(outputs);
        if (!any) return;
        share_what_is_expensive();
        std::int64_t added = 0;
        for (int i = 0; i < live.size(); ++i)
            if (live.items[i] && (splits.items[i] || (terms.items[i] && goes_by_element(b_.nodes.items[i]))))
                added += short_elements(i);
        std::int64_t const of_pairs = finds_extremes() ? most_nodes_of_extremes : most_nodes_of_pairs;
        any = added <= (of_pairs_ ? of_pairs : units ? most_nodes_of_units : most_nodes);
    }
    /// Whether its elements are computed from elements of its operands, and needed.
    constexpr bool is_by_element(int i) const {
        return terms.items[i] && goes_by_element(b_.nodes.items[i]) && has_short_axes(b_.shape_of(i));
    }
    /// An element of it is computed from elements of the operands. (Of bool in memory only a mask of it has elements.)
    constexpr bool goes_by_element(node const& n) const {
        if (n.kind == node_kind::elementwise) return b_.nodes.items[n.in[0]].type != dtype::b8;
        return n.kind == node_kind::alias || n.is_axes_view() || runs_along_short(n);
    }
    static constexpr bool is_running(builtin op) {
        return op == builtin::running_sum || op == builtin::running_product || op == builtin::previous ||
               op == builtin::recurrence;
    }
    /// What runs along a short axis of many items: an element is computed from the one before it. (Not among the items
    /// of a function: the directions of a Hessian would go through all of them.)
    constexpr bool runs_along_short(node const& n) const {
        return n.kind == node_kind::custom_loop && is_running(n.op->is) && n.item_axes == 0 && !b_.has_items &&
               (n.type == dtype::f64 || (n.type == dtype::f32 && n.op->is != builtin::running_sum)) &&
               (short_ones_of(n.in[0]) >> n.attr.axes & 1) != 0 && has_many(n.in[0]);
    }
    /// Computed from positions.
    constexpr bool is_of_units(int i) const { return !units_.empty() && units_.items[i] != 0; }
    /// Whether an element of a slice is computed as an element of what is sliced.
    constexpr bool slices_elements(node const& n) const {
        return is_plain_slice(n) && (splits.items[n.in[0]] || (!units_.empty() && units_.items[n.in[0]] == 1));
    }

    /// The first of the elements that node i is made of; returns along how many axes there are several.
    constexpr int first_element(int i, selection& s) const {
        node const& n = b_.nodes.items[i];
        dims const& d = b_.shapes.items[n.shape];
        if (!of_pairs_) return take_short(d, s);
        std::int64_t const axes = goes_by_element(n) ? terms.items[i] : short_ones_of(n.in[0]);
        int several = 0;
        for (int k = 0; k < d.rank; ++k)
            if ((axes >> k & 1) && d.from_right(k) != 1) s.at[k] = 0, ++several;
        return several;
    }
    /// Whether none of the axes that are reduced is a short one.
    constexpr bool is_along_items(node const& n) const {
        selection s;
        (void)take_short(b_.shape_of(n.in[0]), s);
        for (int k = 0; k < max_rank; ++k)
            if (s.at[k] >= 0 && n.attr.axes >> k & 1) return false;
        return true;
    }

    constexpr bool has_short_axes(dims const& d) const {
        selection s;
        return take_short(d, s) > 0;
    }
    constexpr bool next(dims const& d, selection& s) const {
        for (int k = 0; k < d.rank; ++k) {
            if (s.at[k] < 0) continue;
            if (++s.at[k] < b_.resolve(d.from_right(k))) return true;
            s.at[k] = 0;
        }
        return false;
    }

private:
    builder const& b_;
    bool of_pairs_;              ///< pairs are all there is to look for
    bool narrow_ = false;        ///< rows that leave registers empty are
    bool costly_ = false;        ///< something is computed of many items that takes longer than reading them by strides
    std::int64_t longest_ = most_elements;  ///< axis that is short: where there are windows, none is longer than they
    list<char> windowed_;        ///< elements along its last axes are elements of windows
    list<char> picked_;          ///< computed from short rows that an index picks: an element is as well read as a row
    bool sums_picked_ = false;   ///< there are sums over such rows
    list<char> paired_;          ///< computed from arrays that all lack some axis of it: no element is read once only
    list<int> shapes_of_pairs_;  ///< that are reduced along short axes
    list<char> units_;           ///< 1: made of nothing but positions; 2: computed from such, for many items

    constexpr bool has_sums() const {
        for (node const& n : b_.nodes)
            if (n.kind == node_kind::reduce || n.kind == node_kind::contract) return true;
        return false;
    }
    constexpr void find_picked() {
        for (int i = 0; i < picked_.size(); ++i) {
            node const& n = b_.nodes.items[i];
            if (n.kind == node_kind::custom_loop) picked_.items[i] = picks_rows(b_, n) && has_short_rows(i, n);
            for (int j = 0; j < n.needed_inputs() && (goes_by_element(n) || n.kind == node_kind::reduce); ++j)
                picked_.items[i] = picked_.items[i] || picked_.items[n.in[j]];
            sums_picked_ = sums_picked_ || (n.kind == node_kind::reduce && picked_.items[n.in[0]] && is_short(n));
        }
    }
    /// Whether the axes inside the indexed one of node n are the short ones of node i.
    constexpr bool has_short_rows(int i, node const& n) const {
        std::int64_t const of_row = (std::int64_t{1} << n.attr.axes) - 1, axes = short_ones_of(i);
        std::int64_t elements = 1;
        for (int k = 0; k < n.attr.axes; ++k) elements *= b_.resolve(b_.shape_of(i).from_right(k));
        return axes != 0 && (axes & ~of_row) == 0 && elements <= most_terms && has_many(i);
    }
    /// Rows computed from such, which are added up at an index: element by element, in the loop that computes them.
    constexpr bool adds_elements(node const& n) const {
        return sums_picked_ && adds_rows(b_, n) && picked_.items[n.in[2]] && has_short_rows(n.in[2], n) &&
               b_.nodes.items[n.in[2]].kind == node_kind::elementwise;
    }
    static constexpr bool is_plain_slice(node const& n) {
        return n.is_slice() && n.item_axes == 0 && n.attr.offset >= 0 && n.attr.step() > 0;
    }
    constexpr bool has_places() const {
        for (node const& n : b_.nodes)
            if (n.kind == node_kind::coordinate) return true;
        return false;
    }
    /// Unit vectors are known when compiled: what is computed from their elements is less than from all of them.
    constexpr void find_units() {
        units_ = list<char>(b_.nodes.size(), 0);
        for (int i = 0; i < units_.size(); ++i) {
            node const& n = b_.nodes.items[i];
            char& u = units_.items[i];
            if (n.kind == node_kind::coordinate) u = 1;
            if (n.item_axes > 0 || n.kind == node_kind::custom_loop) continue;
            if (!goes_by_element(n) && !is_plain_slice(n)) continue;
            bool all = true, some = false;
            for (int j = 0; j < n.needed_inputs(); ++j) {
                char const of = units_.items[n.in[j]];
                all = all && (of == 1 || b_.is_constant(n.in[j]));
                some = some || of;
            }
            if (some && all) u = 1;
            else if (some && goes_by_element(n) && is_floating(n.type) && has_short_axes(b_.shape_of(i)) && has_many(i))
                u = 2;
        }
    }
    /// Whether there are many items, each of a few elements.
    constexpr bool has_many(int i) const {
        dims const& d = b_.shape_of(i);
        selection s;
        (void)take_short(d, s);
        for (int k = 0; k < d.rank; ++k) {
            std::int64_t const e = b_.resolve(d.from_right(k));
            if (s.at[k] < 0 && (e < 0 || e >= many_items)) return true;
        }
        return false;
    }
    constexpr bool finds_extremes() const {
        for (int i = 0; i < live.size(); ++i) {
            node const& n = b_.nodes.items[i];
            if (!live.items[i] || n.kind != node_kind::reduce) continue;
            if (n.op->combine == combination::min || n.op->combine == combination::max) return true;
        }
        return false;
    }
    constexpr void find_pairs() {
        bool windows = false;
        for (int i = 0; i < live.size(); ++i) {
            node const& n = b_.nodes.items[i];
            std::int64_t const size = n.is_windows() && !b_.has_items ? b_.shape_of(i).from_right(0) : 0;
            if (size > 0 && !(windows && size < longest_)) longest_ = size;
            windows = windows || n.is_windows();
            if (!windows) continue;
            windowed_.items[i] = n.is_windows();
            for (int j = 0; j < n.needed_inputs() && goes_by_element(n); ++j)
                windowed_.items[i] = windowed_.items[i] || windowed_.items[n.in[j]];
        }
        of_pairs_ = of_pairs_ && !windows;
        for (int i = 0; i < live.size() && of_pairs_; ++i) paired_.items[i] = is_of_pairs(i);
        for (int i = 0; i < live.size(); ++i)
            if (node const& n = b_.nodes.items[i]; n.kind == node_kind::reduce && paired_.items[n.in[0]] && is_short(n))
                shapes_of_pairs_.push(b_.nodes.items[n.in[0]].shape);
    }
    constexpr void find_terms(list<int> const& outputs) {
        for (int o : outputs) live.items[o] = 1, inside.items[o] = 0;
        for (int i = live.size() - 1; i >= 0; --i) {
            if (!live.items[i]) continue;
            node const& n = b_.nodes.items[i];
            if (adds_elements(n)) splits.items[n.in[2]] = 1;
            splits.items[i] = splits.items[i] || is_short(n) || is_along_pairs(n) ||
                              (!units_.empty() && units_.items[i] == 2);
            any = any || splits.items[i];
            if (terms.items[i] && runs_along_short(n)) terms.items[i] |= std::int64_t{1} << n.attr.axes;
            bool const below = splits.items[i] || (terms.items[i] && goes_by_element(n));
            std::int64_t axes = every_axis;
            if (below && of_pairs_) axes = splits.items[i] ? short_ones_of(n.in[0]) : through(n, terms.items[i]);
            for (int j = 0; j < n.needed_inputs(); ++j) {
                live.items[n.in[j]] = 1;
                if (below) terms.items[n.in[j]] |= varying(b_.shape_of(n.in[j])) & axes;
                if (!splits.items[i] && !(goes_by_element(n) && inside.items[i])) inside.items[n.in[j]] = 0;
            }
        }
    }
    /// What is expensive is computed once: where others need it too, they are computed from its elements as well.
    constexpr void share_what_is_expensive() {
        list<char> shared(live.size(), 0);
        for (int i = 0; i < live.size(); ++i) {
            node const& n = b_.nodes.items[i];
            if (!live.items[i] || !goes_by_element(n) || !has_short_axes(b_.shape_of(i))) continue;
            bool const expensive = n.kind == node_kind::custom_loop ||
                                   (n.kind == node_kind::elementwise && n.op->cost > 2);
            shared.items[i] = expensive && terms.items[i] && !inside.items[i];
            for (int j = 0; j < n.needed_inputs(); ++j) {
                if (!shared.items[n.in[j]]) continue;
                shared.items[i] = 1;
                terms.items[i] |= varying(b_.shape_of(i)) & onto(n, terms.items[n.in[j]]);
            }
            if (shared.items[i]) splits.items[i] = 1;
        }
    }

    /// Whether all that is read for an array computed by element has fewer axes.
    constexpr bool is_of_pairs(int i) const {
        node const& n = b_.nodes.items[i];
        if (n.is_axes_view()) return paired_.items[n.in[0]];
        if (!goes_by_element(n)) return false;
        for (int j = 0; j < n.needed_inputs(); ++j)
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
    /// How many axes there are behind the short ones: two; or one, behind a single short one, so that what has both is
    /// computed from what has one of them. Otherwise 0.
    constexpr int items_of_pairs(int i) const {
        dims const& d = b_.shape_of(i);
        selection s;
        int others = 0;
        int const few = take_short(d, s);
        for (int k = 0; k < d.rank; ++k) others += s.at[k] < 0 && d.from_right(k) != 1;
        return few > 0 && (others >= 2 || few == 1) ? others : 0;
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
    /// Whether only short axes are summed over, behind an axis of many items.
    constexpr bool is_short(node const& n) const {
        if (n.kind != node_kind::reduce && n.kind != node_kind::contract) return false;
        if (n.type != dtype::f32 && n.type != dtype::f64 && n.type != dtype::i32 && n.type != dtype::i64) return false;
        combination const how = n.op->combine;  // those that short_axes::binary does to two values
        bool const known = how == combination::sum || how == combination::product || how == combination::max ||
                           how == combination::min;
        if (n.kind == node_kind::reduce && (n.op->in[0] != n.type || !known)) return false;
        bool const windows = windowed_.items[n.in[0]] || (n.kind == node_kind::contract && windowed_.items[n.in[1]]);
        int const items = n.kind == node_kind::reduce && paired_.items[n.in[0]] ? items_of_pairs(n.in[0]) : 0;
        bool const pairs = items > 0;
        if (narrow_ && n.kind != node_kind::reduce) return false;
        if (!windows && !b_.has_items && !pairs && !narrow_) return false;
        dims const& x = b_.shape_of(n.in[0]);
        dims const& y = n.kind == node_kind::contract ? b_.shape_of(n.in[1]) : x;
        int const rank = x.rank > y.rank ? x.rank : y.rank;
        std::int64_t elements = 1, count = 1;
        int k = 0;
        for (; k < rank; ++k) {
            std::int64_t const a = b_.resolve(x.from_right(k)), c = b_.resolve(y.from_right(k)), e = a == 1 ? c : a;
            if (e < 0 || e > longest_ || e * elements > most_elements) break;
            elements *= e;
            if (n.attr.axes >> k & 1) count *= e;
        }
        int const lanes = n.type == dtype::f32 || n.type == dtype::i32 ? simd::lanes<float> : simd::lanes<double>;
        std::int64_t const most = windows ? most_terms_of_windows : pairs ? most_terms_of_pairs : most_terms;
        if (k == rank || count < 2 || count > most || n.attr.axes >> k) return false;
        if (!windows && !pairs && n.kind == node_kind::reduce && count > 4 && count % lanes == 0)
            return false;  // whole registers are as good
        std::int64_t const room = (elements + lanes - 1) / lanes * lanes;
        bool const few = 4 * elements <= filled_quarters * room && (elements <= shortest || costly_);
        if (narrow_ && !few && !(picked_.items[n.in[0]] && elements <= most_terms)) return false;
        auto many = [&](dims const& d) {
            std::int64_t e = b_.resolve(d.from_right(k));
            bool const rows = windows && e >= 2 * lanes;  // windows of several rows count together
            for (int l = k + 1; rows && l < d.rank && e >= 0 && e < many_items; ++l) e *= b_.resolve(d.from_right(l));
            return e < 0 || e >= (items >= 2 ? lanes : many_items);
        };
        return windows ? many(x) || many(y) : many(x) && many(y);
    }
    /// How many nodes it becomes: its elements, or their terms.
    constexpr std::int64_t short_elements(int i) const {
        node const& n = b_.nodes.items[i];
        bool const written = splits.items[i] && !goes_by_element(n);
        dims const& d = written ? b_.shape_of(n.in[0]) : b_.shapes.items[n.shape];
        selection s;
        (void)take_short(d, s);
        std::int64_t elements = 1;
        for (int k = 0; k < d.rank; ++k)
            if (s.at[k] >= 0) elements *= b_.resolve(d.from_right(k));
        return elements;
    }
    /// The first element along all short axes of d, behind an axis of many items; returns how many of them are longer
    /// than 1.
    constexpr int take_short(dims const& d, selection& s) const {
        std::int64_t elements = 1;
        int n = 0;
        for (int k = 0; k < d.rank; ++k) {
            std::int64_t const e = b_.resolve(d.from_right(k));
            if (e < 0 || e > longest_ || e * elements > most_elements) return n;
            elements *= e;
            if (e != 1) s.at[k] = 0, ++n;
        }
        s = {};
        return 0;
    }
};

}  // namespace tapeless::detail::graph_part
