// SPDX-License-Identifier: MIT
#pragma once
// Gradients of what is the same in all steps of a loop, where they are sums of products.

#include <tapeless/graph/body_editor.hpp>
#include <tapeless/graph/items.hpp>
#include <tapeless/ops/view.hpp>

namespace tapeless::detail::inline graph_part {

/// A sum over all steps of products of values that are smaller than it, such as the gradient of a matrix, is one
/// matrix product over steps and all when the loop is done: the factors are stacked.
class step_products {
public:
    /// Axes in another order, or a part of an array that is 0 elsewhere: a put.
    struct moved {
        axis_map axes{};
        int put = -1;
    };
    struct term {
        int operand = -1;       ///< whose cotangent it is part of
        int factor[2]{-1, -1};  ///< nodes of the body; where there is one alone, it is summed up
        std::int64_t axes = 0;  ///< summed over
        int rank = 0;
        list<moved> moves;  ///< what is done to the product, the last first
    };

    /// Of the arguments of the body the first `per_step` are another array in every step; of its nodes the first
    /// `forward` are those of the loop that is differentiated.
    constexpr step_products(builder& caller, body_editor& opened, int per_step, int forward)
        : b(caller), opened_(opened), w(opened.graph), per_step_(per_step), forward_(forward) {}

    /// Whether c, part of the cotangent of operand j, is a sum of such products: those.
    constexpr bool find(int c, int j, list<term>& found) const {
        return find_terms(c, j, w.shape_of(j).static_size(), {}, found);
    }
    /// Whether c, part of the cotangent of operand j, is one value, or a sum of it over axes.
    constexpr bool find_sum(int c, int j, term& found) const {
        found = {};
        for (; w.nodes.items[c].is_axes_view(); c = w.nodes.items[c].in[0])
            found.moves.push({axis_map{w.nodes.items[c].attr.axes}, -1});
        node const& n = w.nodes.items[c];
        found.operand = j;
        found.rank = w.shapes.items[n.shape].rank;
        found.factor[0] = c;
        if (n.kind == node_kind::reduce && n.op->combine == combination::sum) {
            found.axes = n.attr.axes;
            found.factor[0] = n.in[0];
        }
        return is_floating(n.type) && found.rank < max_rank;
    }
    /// A factor as it is in memory.
    constexpr int behind_axes(int id) const {
        while (w.nodes.items[id].is_axes_view()) id = w.nodes.items[id].in[0];
        return id;
    }
    /// A term, of its factors at all steps.
    constexpr int over_all_steps(term const& t, int left, int right) {
        int const x = emit_item_rank(b, left, t.rank), y = right < 0 ? -1 : emit_item_rank(b, right, t.rank);
        std::int64_t const steps = std::int64_t{1} << t.rank;
        int r = -1;
        if (y < 0) r = b.real(x).sum(b, x, t.axes | steps);
        else {
            dims const loop = broadcast(b, dims(b.shape_of(x)), dims(b.shape_of(y)));
            r = b.real(x).sum_of_products(b, x, y, t.axes | steps, loop);
        }
        r = emit_axes(b, r, axis_map::without(t.rank + 1, steps));
        for (int v = t.moves.size() - 1; v >= 0; --v) r = moved_outside(r, t.moves[v]);
        return r;
    }

private:
    builder& b;
    body_editor& opened_;
    builder& w;
    int per_step_, forward_;

    /// `whole` is the size of the array, or of the part of it, that c is.
    constexpr bool find_terms(int c, int j, std::int64_t whole, list<moved> const& moves, list<term>& found) const {
        node const& n = w.nodes.items[c];
        if (n.is_axes_view()) {
            list<moved> more = moves;
            more.push({axis_map{n.attr.axes}, -1});
            return find_terms(n.in[0], j, whole, more, found);
        }
        if (n.kind == node_kind::put) {
            if (!is_sum_of_parts(w, c) || !is_box(n.in[2])) return false;
            list<moved> more = moves;
            more.push({{}, c});
            return find_terms(n.in[1], j, w.shape_of(n.in[1]).static_size(), more, found) &&
                   (w.nodes.items[n.in[0]].kind == node_kind::blank || find_terms(n.in[0], j, whole, moves, found));
        }
        if (n.kind == node_kind::elementwise && n.op->is == builtin::add && w.nodes.items[n.in[0]].shape == n.shape &&
            w.nodes.items[n.in[1]].shape == n.shape)
            return find_terms(n.in[0], j, whole, moves, found) && find_terms(n.in[1], j, whole, moves, found);
        bool const product = n.kind == node_kind::elementwise && n.op->is == builtin::mul;
        if (n.kind != node_kind::contract && !product) return false;
        if (!is_floating(n.type) || w.shapes.items[n.shape].rank == max_rank) return false;
        for (int k = 0; k < 2; ++k) {
            int const base = behind_axes(n.in[k]);
            node const& f = w.nodes.items[base];
            if (f.kind == node_kind::argument ? base >= per_step_ || base >= forward_ : !f.has_op() || is_mask(f.type))
                return false;
            if (w.shape_of(base).static_size() >= whole) return false;
        }
        if (w.shapes.items[n.shape].static_size() != whole) return false;
        term t;
        t.operand = j;
        t.factor[0] = n.in[0];
        t.factor[1] = n.in[1];
        t.axes = product ? 0 : n.attr.axes;
        t.rank = w.shapes.items[n.shape].rank;
        t.moves = moves;
        found.push(t);
        return true;
    }
    /// Whether a window is made of slices that begin at numbers, and of axes in another order.
    constexpr bool is_box(int window) const {
        for (; w.nodes.items[window].kind != node_kind::blank; window = w.nodes.items[window].in[0]) {
            node const& n = w.nodes.items[window];
            if (n.kind != node_kind::view || !(n.is_axes_view() || (n.is_slice() && n.attr.first() >= 0))) return false;
        }
        return true;
    }
    /// What a window of the body is where the loop is called.
    constexpr int window_outside(int id) {
        node n = w.nodes.items[id];
        if (n.kind == node_kind::blank) return b.blank(b.intern(opened_.adopted(w.shapes[n.shape])), n.type);
        n.in[0] = window_outside(n.in[0]);
        if (n.attr.shape >= 0) n.attr.shape = b.intern(opened_.adopted(w.shapes[n.attr.shape]));
        return b.emit(*n.op, n);
    }
    constexpr int moved_outside(int r, moved const& m) {
        if (m.put < 0) return emit_axes(b, r, m.axes);
        node const n = w.nodes.items[m.put];
        int const part = emit_expand(b, r, opened_.adopted(w.shape_of(n.in[1])));
        return emit_put(b, b.blank(b.intern(opened_.adopted(w.shapes[n.shape])), n.type), part, window_outside(n.in[2]),
                        false);
    }
};

}  // namespace tapeless::detail::graph_part
