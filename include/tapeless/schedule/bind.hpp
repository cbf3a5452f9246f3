// SPDX-License-Identifier: MIT
#pragma once
// Arrays in memory as kernels find them: where they are and how loops walk them. Operations with loops of their own need nothing else.

#include <tapeless/schedule/fusion.hpp>
#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail {

struct draft_plan {
    list<kernel> kernels;
    list<step> steps;
    list<root> roots;
    list<place> places;
    list<int> order;
    list<buffer> buffers;
    list<product> products;
    list<affine_walk> walks;
    list<planned_loop> custom_loops;
    list<planned_check> index_checks;
    list<planned_call> calls;
    list<loop_operand> call_operands;
    list<planned_result> call_results;
    list<std::int64_t> call_extents;
};

class places {
public:
    draft_plan plan;

    constexpr explicit places(fusion const& f)
        : f_(f), g_(f.g), buffer_of_(f.g.nodes.size(), -1), output_of_(f.g.nodes.size(), -1), table_(f.table) {
        for (int o = 0; o < f_.outputs.size(); ++o) output_of_.items[f_.outputs[o]] = o;
        for (int i = 0; i < g_.nodes.size(); ++i)
            if (f_.stored.items[i] && f_.home.items[i] >= 0 && output_of_.items[i] < 0) {
                buffer_of_.items[i] = plan.buffers.push(
                    {g_.shape_of(i), 1, size_of(g_.nodes.items[i].type), f_.begun.items[i] < 0 ? f_.home.items[i] : f_.begun.items[i],
                     f_.home.items[i]});
            }
    }

protected:
    fusion const& f_;
    builder const& g_;
    list<int> buffer_of_, output_of_, results_ = result_nodes(g_);
    walk_table table_;

    constexpr place place_of(int node, walk_map map, kernel const& k, int kernel_number) {
        place p;
        node_info(p, node, kernel_number);
        begin_walk(p, map);
        for (int l = 0; l < k.axes; ++l) walk(p, l, map, k.group[l + 1] - 1);  // the innermost of the collapsed ones
        return p;
    }
    /// Loop axis l of a place walks as loop axis `from` of this map.
    constexpr void walk(place& p, int l, walk_map map, int from) {
        int const axis = map.axis(from);
        dims const& d = g_.shapes.items[p.shape];
        p.map.set(l, axis);
        if (axis == walk_map::none) return;
        p.stride[l] = p.step[l] = table_.step(map, from);
        if (p.stride[l] < 0) p.stride[l] = -1;
        for (int j = 0; j < axis; ++j) p.stride[l] = p.stride[l] < 0 || d.from_right(j) < 0 ? -1 : p.stride[l] * d.from_right(j);
        if (!p.dense) p.stride[l] = -1;
    }
    /// Where the loops are, as a place in an array that counts them.
    constexpr place position_of(int node, walk_map map, kernel const& k) {
        place p;
        p.where = memory::position;
        p.node = node;
        p.type = g_.nodes.items[node].type;
        begin_walk(p, map);
        for (int l = 0; l < k.axes; ++l) walk(p, l, map, k.group[l + 1] - 1);
        return p;
    }
    constexpr void begin_walk(place& p, walk_map map) {
        p.shape = g_.nodes.items[p.node].shape;
        if (map.affine < 0) return;
        affine_walk const& w = table_.walks.items[map.affine];
        if (w.shape >= 0) p.shape = w.shape;
        for (walk_start const& s : w.start)
            if (!s.is_zero()) p.walk = map.affine;
    }
    constexpr void node_info(place& p, int node, int kernel_number) {
        detail::node const& n = g_.nodes.items[node];
        p.node = node;
        p.type = is_mask(n.type) ? dtype::b8 : n.type;
        if (n.kind == node_kind::argument) {
            p.where = memory::argument;
            p.index = n.source;
            p.dense = f_.dense.items[n.source];
        } else if (int o = output_of_.items[node]; o >= 0) {
            p.where = memory::output;
            p.index = o;
            p.dense = f_.dense.items[f_.dense.size() - f_.outputs.size() + o];
        } else {
            p.where = memory::buffer;
            p.index = buffer_of_.items[node];
            plan.buffers.items[p.index].last = kernel_number;
        }
    }

    /// A value as an operation with a loop of its own finds it in memory.
    constexpr loop_operand operand_in_memory(int id, int kernel_number) {
        loop_operand o;
        operand_draft const d = draft_operand(g_, table_, id);
        o.shape = g_.shape_of(id);
        o.at.type = g_.nodes.items[d.node].type;
        o.constant = g_.nodes.items[d.node].kind == node_kind::constant;
        o.number = g_.nodes.items[d.node].attr.number;
        if (o.constant) return o;
        node_info(o.at, d.node, kernel_number);
        begin_walk(o.at, d.map);
        for (int k = 0; k < o.shape.rank; ++k) walk(o.at, k, d.map, k);
        return o;
    }
    constexpr void lower_call(int number) {
        int const id = f_.kernels[number].custom;
        call_info const& c = g_.calls[g_.nodes.items[id].source];
        planned_call p;
        static_cast<call_header&>(p) = c.header();
        p.first_operand = plan.call_operands.size();
        p.first_result = plan.call_results.size();
        p.first_extent = plan.call_extents.size();
        for (std::int64_t e : c.extents) plan.call_extents.push(e);
        list<int> const operands = operands_of(g_, id);
        p.operands = operands.size();
        p.results = c.results.size();
        for (int o : operands) plan.call_operands.push(operand_in_memory(o, number));
        plan.call_results.resize(p.first_result + p.results);
        for (int i : results_)
            if (f_.home.items[i] == number && g_.nodes.items[i].in[0] == id) {
                int const r = static_cast<int>(g_.nodes.items[i].attr.offset);
                plan.call_results.items[p.first_result + r] = {c.results[r], operand_in_memory(i, number)};
            }
        p.first_spare = plan.buffers.size();
        for (int k = 0; k < c.carries; ++k) {
            bool recorded = false;
            for (call_result const& r : c.results) recorded = recorded || (r.form == result_form::record && r.which == k);
            dims const& d = g_.shape_of(operands[k]);
            plan.buffers.push({recorded ? dims{} : d, 2, size_of(g_.nodes.items[operands[k]].type), number, number});
        }
        p.workspace = plan.buffers.push({dims{}, 1, 0, number, number});
        plan.buffers.back().call = plan.calls.size();
        kernel k;
        k.call = plan.calls.push(p);
        plan.kernels.push(k);
    }
    constexpr void lower_loop(int number) {
        kernel_draft const& kd = f_.kernels[number];
        if (has_role(g_, kd.custom, loop_role::call)) return lower_call(number);
        node const& n = g_.nodes.items[kd.custom];
        dims const& d = g_.shapes.items[n.shape];
        kernel k;
        for (int a = 0; a < d.rank; ++a)
            if (d.extent[a] != 1) k.shape.extent[k.shape.rank++] = d.extent[a];
        planned_loop c;
        c.node = kd.custom;
        c.op = n.op;
        c.attr = n.attr;
        c.item_axes = n.item_axes;
        c.operands = n.arity();
        for (int j = 0; j < c.operands; ++j) c.in[j] = operand_in_memory(n.in[j], number);
        c.out[0] = operand_in_memory(kd.custom, number);
        for (int i = kd.custom + 1; i < g_.nodes.size(); ++i) {
            node const& p = g_.nodes.items[i];
            if (p.kind != node_kind::custom_loop || p.op->part == 0 || p.in[0] != kd.custom || f_.home.items[i] != number) continue;
            c.out[p.op->part] = operand_in_memory(i, number);
            c.wanted[p.op->part] = true;
            if (c.parts <= p.op->part) c.parts = p.op->part + 1;
        }
        if (n.op->scratch_element > 0) {
            dims room{.rank = 1, .extent = {n.attr.offset}};
            if (!n.op->scratch_by_offset) room = g_.shapes.items[n.attr.shape];
            c.scratch = plan.buffers.push({room, 1, n.op->scratch_element, number, number});
        }
        k.custom = plan.custom_loops.push(c);
        plan.kernels.push(k);
    }
    /// Indices that were handed in are looked at first; computed ones before the first kernel that uses them as such.
    constexpr void plan_index_checks() {
        for (index_check const& c : g_.index_checks) {
            planned_check p;
            p.limit = g_.shapes.items[c.shape];
            p.rule = c.rule;
            p.by_row = c.lengths >= 0;
            if (!is_handed_in(g_, c.index) || (p.by_row && !is_handed_in(g_, c.lengths)))
                for (p.before = 0; p.before < f_.kernels.size() && !needs_check(f_.kernels[p.before].custom, c);) ++p.before;
            if (p.before == f_.kernels.size()) continue;  // nothing came to need them
            p.index = operand_in_memory(c.index, p.before);
            if (p.by_row) p.lengths = operand_in_memory(c.lengths, p.before);
            plan.index_checks.push(p);
        }
    }
    constexpr bool needs_check(int node, index_check const& c) const {
        return uses(node, c.index) && (c.lengths < 0 || uses(node, c.lengths));
    }
    constexpr bool uses(int node, int input) const {
        for (int j = 0; node >= 0 && j < g_.nodes.items[node].arity(); ++j)
            if (g_.nodes.items[node].in[j] == input) return true;
        return false;
    }
};

}  // namespace tapeless::detail
