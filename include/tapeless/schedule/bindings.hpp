// SPDX-License-Identifier: MIT
#pragma once
// Arrays in memory as kernels find them: where they are and how loops walk them. Operations with loops of their own
// need nothing else.

#include <tapeless/schedule/group.hpp>
#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail::inline schedule_part {

class bindings {
public:
    walk_table table;  ///< the walks of the kernels, and those that are found here

    /// Adds a buffer for every array that is stored and is no output.
    constexpr bindings(graph_to_plan const& p, grouping const& f, list<buffer>& buffers)
        : table(f.table), p_(p), g_(p.g), buffers_(buffers), buffer_of_(p.g.nodes.size(), -1) {
        for (int i = 0; i < g_.nodes.size(); ++i)
            if (f.stored.items[i] && f.home.items[i] >= 0 && p.output_of.items[i] < 0) {
                int const first = f.begun.items[i] < 0 ? f.home.items[i] : f.begun.items[i];
                int const size = size_of(g_.nodes.items[i].type);
                buffer_of_.items[i] = buffers.push({g_.shape_of(i), 1, size, first, f.home.items[i]});
            }
    }

    constexpr place place_of(int node, walk_map map, kernel const& k, int kernel_number) {
        place p;
        find(p, node, kernel_number);
        begin_walk(p, map);
        for (int l = 0; l < k.axes; ++l) walk(p, l, map, k.group[l + 1] - 1);  // the innermost of the collapsed ones
        return p;
    }
    /// Where the indices are by which a place of this walk goes along an axis: found before that place is, by `add`.
    template <class Add>
    constexpr void pick(place& p, walk_map map, kernel const& k, int kernel_number, Add const& add) {
        int const number = table.picked_of(map);
        if (number < 0) return;
        picked_walk const q = table.picked.items[number];
        p.picked = add(place_of(q.index, q.map, k, kernel_number));
        p.picked_axis = q.axis;
        p.picked_stride = p.dense ? 1 : -1;
        for (int j = 0; j < q.axis; ++j) {
            std::int64_t const e = g_.shapes.items[p.shape].from_right(j);
            p.picked_stride = p.picked_stride < 0 || e < 0 ? -1 : p.picked_stride * e;
        }
        for (int l = 0; l < k.axes; ++l)
            if (p.map.axis(l) == q.axis) p.stride[l] = 0;
    }
    /// Where the loops are, as a place in an array that counts them.
    constexpr place position_of(int node, walk_map map, kernel const& k) const {
        place p;
        p.where = memory::position;
        p.node = node;
        p.type = g_.nodes.items[node].type;
        begin_walk(p, map);
        for (int l = 0; l < k.axes; ++l) walk(p, l, map, k.group[l + 1] - 1);
        return p;
    }
    /// Loop axis l of a place walks as loop axis `from` of this map.
    constexpr void walk(place& p, int l, walk_map map, int from) const {
        int const axis = map.axis(from);
        dims const& d = g_.shapes.items[p.shape];
        p.map.set(l, axis);
        if (axis == walk_map::none) return;
        std::int64_t& stride = p.stride[l];
        stride = p.step[l] = table.step(map, from);
        if (stride < 0) stride = -1;
        for (int j = 0; j < axis; ++j) stride = stride < 0 || d.from_right(j) < 0 ? -1 : stride * d.from_right(j);
        if (!p.dense) stride = p.columns && axis == d.rank - 1 && p.step[l] >= 0 ? p.step[l] : -1;
    }

    /// A value as an operation with a loop of its own finds it in memory.
    constexpr loop_operand operand_in_memory(int id, int kernel_number) {
        loop_operand o;
        operand_draft const d = draft_operand(g_, table, id);
        o.shape = g_.shape_of(id);
        o.at.type = g_.nodes.items[d.node].type;
        o.constant = g_.nodes.items[d.node].kind == node_kind::constant;
        o.number = g_.nodes.items[d.node].attr.value();
        if (o.constant) return o;
        find(o.at, d.node, kernel_number);
        begin_walk(o.at, d.map);
        for (int k = 0; k < o.shape.rank; ++k) walk(o.at, k, d.map, k);
        return o;
    }

private:
    graph_to_plan const& p_;
    builder const& g_;
    list<buffer>& buffers_;
    list<int> buffer_of_;

    constexpr void begin_walk(place& p, walk_map map) const {
        p.shape = g_.nodes.items[p.node].shape;
        if (map.affine < 0) return;
        affine_walk const& w = table.walks.items[map.affine];
        if (w.shape >= 0) p.shape = w.shape;
        for (walk_start const& s : w.start)
            if (!s.is_zero()) p.walk = map.affine;
        if (p.walk >= 0) p.origin = origin_of(p, w);
    }
    /// The element at which a walk begins in dense memory, where it is known when compiled; otherwise -1.
    constexpr std::int64_t origin_of(place const& p, affine_walk const& w) const {
        dims const& d = g_.shapes.items[p.shape];
        std::int64_t at = 0, stride = p.dense ? 1 : -1;
        for (int a = 0; a < max_rank; ++a) {
            walk_start const& s = w.start[a];
            if (!s.is_zero() && (s.terms > 0 || stride < 0)) return -1;
            at += s.number * stride;
            stride = stride < 0 || d.from_right(a) < 0 ? -1 : stride * d.from_right(a);
        }
        return at;
    }
    /// The array of a node, which the kernel of this number still needs.
    constexpr void find(place& p, int node, int kernel_number) {
        detail::node const& n = g_.nodes.items[node];
        p.node = node;
        p.type = is_mask(n.type) ? dtype::b8 : n.type;
        if (n.kind == node_kind::argument) {
            p.where = memory::argument;
            p.index = n.source;
            p.dense = p_.is_dense(node);
            p.columns = p_.is_columns(node);
        } else if (n.kind == node_kind::table) {
            p.where = memory::constants;
            p.index = n.source;
        } else if (int const o = p_.output_of.items[node]; o >= 0) {
            p.where = memory::output;
            p.index = o;
            p.dense = p_.is_dense(node);
        } else {
            p.where = memory::buffer;
            p.index = buffer_of_.items[node];
            buffers_.items[p.index].last = kernel_number;
        }
    }
};

}  // namespace tapeless::detail::schedule_part
