// SPDX-License-Identifier: MIT
#pragma once
// Arrays of a few numbers that are put together from single ones, as the state of a small system is: what is computed
// with them is computed with the numbers, so that no loop writes an array for the next one to take apart.

#include <tapeless/ops/contract.hpp>
#include <tapeless/ops/fused.hpp>
#include <tapeless/ops/movement.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless::detail {

class small_stacks {
public:
    constexpr explicit small_stacks(builder& graph) : b_(graph) {
        one_.rank = 1;
        one_.extent[0] = 1;
    }

    /// Node n, which is about to be made, by elements; -1 where that does not help, or cannot be.
    constexpr int instead_of(node const& n) {
        if (n.kind == node_kind::elementwise) return elementwise(n);
        if (n.kind == node_kind::reduce) return sum(n);
        return -1;
    }

private:
    /// Longer ones stay arrays: there would be too much code.
    static constexpr int most = 8;

    builder& b_;
    dims one_;  ///< the shape of an array of one element

    /// The number of elements of a vector of a few, otherwise 0.
    constexpr int length(int shape) const {
        dims const& d = b_.shapes.items[shape];
        return d.rank == 1 && d.extent[0] > 1 && d.extent[0] <= most ? static_cast<int>(d.extent[0]) : 0;
    }
    /// Numbers put into zeros one after the other.
    constexpr bool is_stack(int id) const {
        if (length(b_.nodes.items[id].shape) == 0) return false;
        for (; b_.nodes.items[id].kind == node_kind::put; id = b_.nodes.items[id].in[0]) {
            node const& n = b_.nodes.items[id];
            node const& w = b_.nodes.items[n.in[2]];
            if (n.attr.adds() || !w.is_slice() || b_.nodes.items[w.in[0]].kind != node_kind::blank ||
                w.attr.offset < 0 || b_.shapes.items[w.shape].extent[0] != 1)
                return false;
            if (b_.nodes.items[n.in[0]].kind == node_kind::blank) return true;
        }
        return false;
    }
    /// Element i as a number.
    constexpr int element(int id, int i) {
        node const n = b_.nodes.items[id];
        if (b_.shapes.items[n.shape].rank == 0) return id;
        if (b_.is_scalar(id)) return emit_axes(b_, id, axis_map::without(1, 1));
        if (n.is_stretched() && b_.shape_of(n.in[0]).rank == 0) return n.in[0];
        if (!is_stack(id)) return emit_axes(b_, emit_slice(b_, id, 0, i, 1, 1), axis_map::without(1, 1));
        int x = id;
        while (b_.nodes.items[x].kind == node_kind::put && b_.nodes.items[input_of(b_, x, 2)].attr.offset != i)
            x = input_of(b_, x, 0);
        if (b_.nodes.items[x].kind != node_kind::put) return b_.constant(0, n.type);
        return element(input_of(b_, x, 1), 0);
    }
    /// What can be taken apart: a number, or numbers as many as in `shape`.
    constexpr bool fits(int id, int shape) const {
        node const& n = b_.nodes.items[id];
        if (is_mask(n.type) || n.type == dtype::b8) return b_.shapes.items[n.shape].rank == 0;
        return n.shape == shape || (b_.is_scalar(id) && b_.shapes.items[n.shape].rank <= 1);
    }

    constexpr int elementwise(node const& n) {
        int const count = length(n.shape);
        if (count == 0 || !n.computes_elements() || is_mask(n.type) || is_storage_only(n.type) || n.attr.shape >= 0 ||
            n.attr.is_labelled())
            return -1;
        bool any = false;
        for (int j = 0, arity = n.arity(); j < arity; ++j) {
            if (!fits(n.in[j], n.shape)) return -1;
            any = any || is_stack(n.in[j]);
        }
        if (!any) return -1;
        int const zeros = b_.blank(n.shape, n.type);
        int r = zeros;
        for (int i = 0; i < count; ++i) {
            node m = n;
            m.shape = 0;
            for (int j = 0, arity = n.arity(); j < arity; ++j) m.in[j] = element(n.in[j], i);
            int e = fuse_multiply_add(b_, m);
            if (e < 0) e = b_.emit(*n.op, m);
            if (b_.is_constant(e, 0)) continue;
            int const part = b_.is_constant(e) ? emit_expand(b_, e, one_) : emit_axes(b_, e, axis_map::of_rank(1));
            r = emit_put(b_, r, part, emit_slice(b_, zeros, 0, i, 1, 1), false);
        }
        return r;
    }

    constexpr int sum(node const& n) {
        if (n.op->combine != reduction::sum || !is_floating(n.type) || b_.nodes.items[n.in[0]].type != n.type ||
            !is_stack(n.in[0]))
            return -1;
        int r = element(n.in[0], 0);
        for (int i = 1, count = length(b_.nodes.items[n.in[0]].shape); i < count; ++i) {
            int const e = element(n.in[0], i);
            r = n.type == dtype::f32 ? emit_binary<add_op, float>(b_, r, e) : emit_binary<add_op, double>(b_, r, e);
        }
        return emit_expand(b_, r, dims(b_.shapes.items[n.shape]));
    }
};

}  // namespace tapeless::detail
