// SPDX-License-Identifier: MIT
#pragma once
// Axes along which a linear map keeps elements apart: what stands at an index of its result depends on what stands at
// that index of its argument, and on nothing else along that axis. One direction serves for all indices of such an
// axis.

#include <tapeless/graph/items.hpp>

namespace tapeless::detail::inline graph_part {

/// A product of lengths: a number, and run-time extents that are no products themselves.
struct length_product {
    static constexpr int most = max_rank;
    std::int64_t number = 1;
    std::int64_t extent[most]{};
    int extents = 0;
    bool is_known = true;  ///< there was room for all of it

    constexpr void multiply(builder const& b, std::int64_t e) {
        e = b.resolve(e);
        if (e >= 0) {
            number *= e;
            return;
        }
        length_formula const& f = b.extents.items[static_cast<int>(~e)].formula;
        if (f.rule == length_rule::product) {
            multiply(b, f.a);
            multiply(b, f.b);
            return;
        }
        if (f.rule == length_rule::quotient) {  // of a product by one of its factors, as where axes are cut again
            length_product whole, by;
            whole.multiply(b, f.a);
            by.multiply(b, f.b);
            if (whole.divide(by)) return multiply(whole);
        }
        if (extents < most) {
            extent[extents++] = e;
        } else {
            is_known = false;
        }
    }
    constexpr void multiply(length_product const& o) {
        number *= o.number;
        is_known = is_known && o.is_known && extents + o.extents <= most;
        for (int i = 0; i < o.extents && is_known; ++i) extent[extents++] = o.extent[i];
    }
    /// Takes a factor out; false where it is none.
    constexpr bool divide(length_product const& by) {
        if (!is_known || !by.is_known || by.number == 0 || number % by.number != 0) return false;
        number /= by.number;
        for (int i = 0; i < by.extents; ++i) {
            int k = 0;
            while (k < extents && extent[k] != by.extent[i]) ++k;
            if (k == extents) return false;
            extent[k] = extent[--extents];
        }
        return true;
    }
    constexpr bool is_one() const { return is_known && number == 1 && extents == 0; }
    constexpr bool operator==(length_product const& o) const {
        length_product rest = *this;
        return rest.divide(o) && rest.is_one();
    }
};

/// Follows the axes of an argument t through all that depends on it.
class apart_axes {
public:
    /// y is computed from t.
    constexpr apart_axes(builder const& graph, int t, int y)
        : b_(graph), first_(t), rank_(b_.shape_of(t).rank), depends_(y - t + 1, 0), places_((y - t + 1) * rank_) {
        dims const d = b_.shape_of(t);
        depends_.items[0] = 1;
        for (int k = 0; k < rank_; ++k) {
            places_.items[k].axis = k;
            length_[k].multiply(b_, d.from_right(k));
        }
        for (int i = t + 1; i <= y; ++i) {
            node const& n = b_.nodes.items[i];
            for (int j = 0; j < n.arity(); ++j) depends_.items[i - t] |= depends(n.in[j]);
            for (int k = 0; k < rank_ && depends_.items[i - t]; ++k) places_.items[(i - t) * rank_ + k] = find(i, n, k);
        }
    }

    /// The axes of t, from the right, that y, which has the same shape, does not keep apart: none of extent 1.
    constexpr std::int64_t mixed(int y) const {
        std::int64_t axes = 0;
        for (int k = 0; k < rank_; ++k) {
            place const& p = at(y, k);
            if (!length_[k].is_one() && !(p.axis == k && p.inside.is_one())) axes |= std::int64_t{1} << k;
        }
        return axes;
    }
    constexpr bool depends(int id) const { return id >= first_ && depends_.items[id - first_]; }

private:
    /// Where the index along an axis of t is found again: along an axis (from the right) of which it may be a part, as
    /// where axes were merged, with so many elements inside it. No axis: elements of several indices have met.
    struct place {
        int axis = -1;
        length_product inside;
        constexpr bool operator==(place const& o) const { return axis == o.axis && inside == o.inside; }
    };

    builder const& b_;
    int first_, rank_;
    list<char> depends_;
    list<place> places_;
    length_product length_[max_rank];  // of the axes of t

    constexpr place const& at(int id, int k) const { return places_.items[(id - first_) * rank_ + k]; }

    /// Of axis k of t in node i: where all operands that depend on it have it.
    constexpr place find(int i, node const& n, int k) const {
        place r;
        for (int j = 0; j < n.arity(); ++j) {
            if (!depends(n.in[j])) continue;
            place const p = at(n.in[j], k).axis < 0 ? place{} : through(i, n, j, at(n.in[j], k), k);
            if (p.axis < 0 || (r.axis >= 0 && !(p == r))) return {};
            r = p;
        }
        return r;
    }
    constexpr place through(int i, node const& n, int j, place p, int k) const {
        if (n.item_axes > 0) {  // nothing is known but that items have nothing to do with one another
            int const before = b_.shape_of(n.in[j]).rank - 1 - p.axis;
            if (before >= n.item_axes) return {};
            p.axis = b_.shape_of(i).rank - 1 - before;
            return p;
        }
        switch (n.kind) {
            case node_kind::elementwise: return p;
            case node_kind::alias: return j == 0 ? p : place{};
            case node_kind::reduce:
            case node_kind::contract: return n.attr.axes >> p.axis & 1 ? place{} : p;
            case node_kind::padded: return n.attr.axis() == p.axis ? place{} : p;
            case node_kind::view: return under_view(i, p, k);
            case node_kind::put: return j == 0 ? p : behind_views(n.in[2], p, k);
            case node_kind::custom_loop:
                return n.op->is == builtin::running_sum && n.attr.axis() != p.axis ? p : place{};
            default: return {};
        }
    }
    constexpr place under_view(int view, place p, int k) const {
        node const& n = b_.nodes.items[view];
        switch (n.op->form) {
            case view_form::slice: return n.attr.axis() == p.axis ? place{} : p;
            case view_form::reshape: return cut_again(b_.shape_of(n.in[0]), b_.shape_of(view), p, k);
            case view_form::windows:  // whose last axis is the window's
                if (n.attr.axis() == p.axis) return {};
                ++p.axis;
                return p;
            default: break;
        }
        axis_map const m{n.attr.axes};
        int to = 0;
        while (to < m.rank() && m.source(to) != p.axis) ++to;
        if (to == m.rank()) return {};
        p.axis = to;
        return p;
    }
    /// The other way round: of what is written at the places that a view of a blank names, in the blank.
    constexpr place behind_views(int view, place p, int k) const {
        for (; b_.nodes.items[view].kind == node_kind::view && p.axis >= 0; view = b_.nodes.items[view].in[0]) {
            node const& n = b_.nodes.items[view];
            switch (n.op->form) {
                case view_form::slice:
                    if (n.attr.axis() == p.axis) return {};
                    break;
                case view_form::reshape: p = cut_again(b_.shape_of(view), b_.shape_of(n.in[0]), p, k); break;
                case view_form::windows: return {};
                default: p.axis = axis_map{n.attr.axes}.source(p.axis);
            }
        }
        return p;
    }
    /// The same elements in the same order: the index is that part of the position which has as many elements inside.
    constexpr place cut_again(dims const& from, dims const& to, place p, int k) const {
        for (int a = 0; a < p.axis; ++a) p.inside.multiply(b_, from.from_right(a));
        length_product whole = p.inside, inside;
        whole.multiply(length_[k]);
        for (int a = 0; a < to.rank; ++a) {
            place r{a, p.inside};
            bool const begins = r.inside.divide(inside);
            inside.multiply(b_, to.from_right(a));
            length_product outside = inside;
            if (begins && outside.divide(whole)) return r;
        }
        return {};
    }
};

}  // namespace tapeless::detail::graph_part
