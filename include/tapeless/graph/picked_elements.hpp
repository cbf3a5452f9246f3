// SPDX-License-Identifier: MIT
#pragma once
// Rows of a few numbers that are picked by an index, computed with element by element, and added up at an index: loops
// that compute with the elements read them where they are, and add to them there, so that nothing is copied.

#include <tapeless/graph/by_element.hpp>
#include <tapeless/ops/picked.hpp>

namespace tapeless::detail::inline graph_part {

class picked_elements {
public:
    constexpr explicit picked_elements(traced& t) : b_(t.graph), nodes_(t.graph.nodes.size()) {
        bool any = false;
        for (int i = 0; i < nodes_ && !any; ++i) any = is_pick(i) || is_sum(i);
        if (!any) return;
        live_ = reads_ = list<char>(nodes_, 0);
        uses_ = list<int>(nodes_, 0);
        find_uses(t.outputs);
        any = false;
        for (int i = 0; i < nodes_; ++i) any = any || (live_.items[i] && (reads_.items[i] || takes_parts(i)));
        if (!any) return;
        to_ = list<int>(nodes_, -1);
        for (int i = 0; i < nodes_; ++i)
            if (live_.items[i]) to_.items[i] = again(i);
        for (int& o : t.outputs) o = to_.items[o];
        move_notes(b_, nodes_, live_, [&](int id) { return to_.items[id]; });
    }

private:
    builder& b_;
    int nodes_;
    list<int> uses_, to_;
    list<char> live_;   ///< an output needs it
    list<char> reads_;  ///< of what is picked: all that loops want are single elements of its rows

    constexpr node const& at(int i) const { return b_.nodes.items[i]; }
    constexpr bool is_pick(int i) const { return picks_rows(b_, at(i)); }
    constexpr bool is_sum(int i) const { return adds_rows(b_, at(i)); }
    /// Whether a view of rows has one element of each.
    constexpr bool is_of_single_elements(int view, int index) const {
        std::int64_t elements[2]{1, 1};
        int unknown[2]{};
        for (int j = 0; j < 2; ++j) {
            dims const& d = b_.shape_of(j == 0 ? view : index);
            for (int k = 0; k < d.rank; ++k) {
                std::int64_t const e = b_.resolve(d.extent[k]);
                if (e < 0) ++unknown[j];
                else elements[j] *= e;
            }
        }
        return unknown[0] == unknown[1] && elements[0] == elements[1];
    }

    constexpr void find_uses(list<int> const& outputs) {
        for (int o : outputs) live_.items[o] = 1, uses_.items[o] += 2;
        for (int i = nodes_ - 1; i >= 0; --i)
            for (int j = 0; live_.items[i] && j < at(i).arity(); ++j)
                live_.items[at(i).in[j]] = 1, ++uses_.items[at(i).in[j]];
        list<int> from(nodes_, -1);  // of views: the node whose rows they are of
        list<char> const between_zeros = find_padded();
        for (int i = 0; i < nodes_; ++i) {
            if (!live_.items[i]) continue;
            node const& n = at(i);
            if (is_pick(i)) reads_.items[i] = !between_zeros.items[i], from.items[i] = i;
            for (int j = 0; j < n.arity(); ++j) {
                int const p = from.items[n.in[j]];
                if (p < 0) continue;
                bool const single = is_of_single_elements(n.in[j], at(p).in[1]);
                if (n.is_slice() || (n.is_axes_view() && single) || (n.is_stretched() && single)) from.items[i] = p;
                else if (!single || !(n.computes_elements() || n.kind == node_kind::reduce)) reads_.items[p] = 0;
            }
        }
        for (int o : outputs)
            if (from.items[o] >= 0) reads_.items[from.items[o]] = 0;
        // a vector is read at an index as quickly as it is copied: it is not read twice
        for (int i = 0; i < nodes_; ++i)
            if (reads_.items[i] && uses_.items[i] > 1 && is_of_single_elements(i, at(i).in[1])) reads_.items[i] = 0;
    }

    /// What loops compute, or read, between zeros: there is no index of what is beyond.
    constexpr list<char> find_padded() const {
        list<char> r(nodes_, 0);
        for (int i = nodes_ - 1; i >= 0; --i) {
            node const& n = at(i);
            bool const passes = n.computes_elements() || n.is_stretched() || n.kind == node_kind::view;
            if (live_.items[i] && (n.kind == node_kind::padded || (r.items[i] && passes)))
                for (int j = 0; j < n.arity(); ++j) r.items[n.in[j]] = 1;
        }
        return r;
    }

    /// Whether what is added up at an index was put together from computed elements, none over another, and only for
    /// that.
    constexpr bool takes_parts(int i) const {
        if (!is_sum(i)) return false;
        node const& n = at(i);
        int parts = 0, part = n.in[2];
        for (; at(part).kind == node_kind::put; part = at(part).in[0], ++parts) {
            node const& p = at(part);
            if (uses_.items[part] > 1 || p.attr.adds() || !is_slices(p.in[2]) ||
                !is_of_single_elements(p.in[1], n.in[1]) || b_.nodes.items[p.in[2]].shape != at(p.in[1]).shape)
                return false;
        }
        return parts > 0 && is_sum_of_parts(b_, n.in[2]);
    }
    constexpr bool is_slices(int window) const {
        while (at(window).is_slice()) window = at(window).in[0];
        return at(window).kind == node_kind::blank;
    }

    constexpr int again(int i) {
        node const& n = at(i);
        if (reads_.items[i]) return emit_picked(b_, to_.items[n.in[0]], to_.items[n.in[1]], axis_of(i), n.shape);
        if (takes_parts(i)) return added(i, first_of(i));
        if (is_sum_of_two(i)) return added(n.in[1], to_.items[n.in[0]]);
        return emit_on(b_, i, [&](int id) { return to_.items[id]; });
    }
    constexpr int axis_of(int i) const { return static_cast<int>(at(i).attr.axes); }
    /// Two arrays of zeros to which something is added, and their sum: one array.
    constexpr bool is_sum_of_two(int i) const {
        node const& n = at(i);
        if (!is_op(b_, i, builtin::add) || n.in[0] == n.in[1]) return false;
        for (int j = 0; j < 2; ++j)
            if (uses_.items[n.in[j]] != 1 || at(n.in[j]).shape != n.shape) return false;
        return is_of_zeros(n.in[1]) && (is_of_zeros(n.in[0]) || is_sum_of_two(n.in[0]));
    }
    constexpr bool is_of_zeros(int i) const { return takes_parts(i) && b_.is_constant(at(i).in[0], 0); }
    constexpr int first_of(int i) {
        int const x = to_.items[at(i).in[0]];
        return b_.is_constant(x, 0) ? b_.blank(at(i).shape, at(i).type) : emit_expand(b_, x, dims(b_.shape_of(i)));
    }
    /// What node i adds at its index, on `base` instead, part by part.
    constexpr int added(int i, int base) {
        node const n = at(i);
        list<int> parts;
        for (int part = n.in[2]; at(part).kind == node_kind::put; part = at(part).in[0]) parts.push(part);
        int const zeros = b_.blank(n.shape, n.type);
        int const rows = emit_picked(b_, zeros, to_.items[n.in[1]], axis_of(i), at(n.in[2]).shape);
        for (int k = parts.size() - 1; k >= 0; --k) {
            node const p = at(parts.items[k]);
            int const window = emit_view_again(b_, p.in[2], rows);
            b_.literal = true;  // what is known of windows is not known of these
            base = emit_put(b_, base, to_.items[p.in[1]], window, true);
            b_.literal = false;
        }
        return base;
    }
};

}  // namespace tapeless::detail::graph_part
