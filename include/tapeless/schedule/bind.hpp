// SPDX-License-Identifier: MIT
#pragma once
// Fourth step of a plan, bind: every load, store and operand finds its array in memory.

#include <tapeless/schedule/bindings.hpp>
#include <tapeless/schedule/levels.hpp>

namespace tapeless::detail::inline schedule_part {

class binder {
public:
    constexpr binder(graph_to_plan const& p, grouping const& f, draft_plan& plan)
        : p_(p), g_(p.g), f_(f), plan_(plan), arrays_(p, f, plan.buffers), results_(result_nodes(p.g)) {
        bind_index_checks();
        for (int number = 0; number < f.kernels.size(); ++number) {
            int const custom = f.kernels.items[number].custom;
            if (custom < 0) bind_kernel(number);
            else if (has_role(g_, custom, loop_role::call)) bind_call(number);
            else bind_loop(number);
        }
        plan.walks = static_cast<list<affine_walk>&&>(arrays_.table.walks);
        plan.bounds = static_cast<list<walk_bound>&&>(arrays_.table.bounds);
    }

private:
    graph_to_plan const& p_;
    builder const& g_;
    grouping const& f_;
    draft_plan& plan_;
    bindings arrays_;
    list<int> results_;  ///< nodes that are results of calls

    constexpr void bind_kernel(int number) {
        kernel_draft const& kd = f_.kernels.items[number];
        kernel& k = plan_.kernels.items[number];
        k.first_place = plan_.places.size();
        if (kd.product.node >= 0) bind_product(k, kd, number);
        auto const add = [&](place const& p) { return plan_.places.push(p) - k.first_place; };
        auto const find = [&](int node, walk_map map) {
            place p = arrays_.place_of(node, map, k, number);
            arrays_.pick(p, map, k, number, add);
            return add(p);
        };
        for (int i = 0; i < k.steps; ++i) {
            step& s = plan_.steps.items[k.first_step + i];
            walk_map const map = kd.steps.items[i].map;
            if (s.kind == step_kind::load) s.place = find(s.node, map);
            if (s.kind == step_kind::coordinate) s.place = add(arrays_.position_of(s.node, map, k));
            if (s.kind == step_kind::product) {
                s.kind = step_kind::load;  // the product is in memory when the loops run
                s.place = plan_.products.items[k.product].to;
            }
        }
        for (int i = 0; i < k.roots; ++i) {
            root& r = plan_.roots.items[k.first_root + i];
            bool const is_there = r.node == kd.product.node && plan_.places.items[k.first_place].where != memory::panel;
            if (!f_.stored.items[r.node] || is_there) continue;
            r.place = find(r.node, kd.roots.items[i].map);
        }
        k.places = plan_.places.size() - k.first_place;
    }

    /// The product of a kernel: where its operands are, and where it goes.
    constexpr void bind_product(kernel& k, kernel_draft const& kd, int number) {
        product_draft const& d = kd.product;
        product p;
        p.node = d.node;
        p.type = g_.nodes.items[d.node].type;
        p.depth_shape.rank = d.depth_axes;
        for (int l = 0; l < d.depth_axes; ++l) {
            p.depth_shape.extent[l] = d.depth[l];
            if (l == 0 || !product_collapses(p_, arrays_.table, d, kd.axes + l - 1, d.depth[l])) {
                p.depth[p.depth_axes] = 1;
                p.group[p.depth_axes++] = l;
            }
            std::int64_t& e = p.depth[p.depth_axes - 1];
            e = e < 0 || d.depth[l] < 0 ? -1 : e * d.depth[l];
            p.group[p.depth_axes] = l + 1;
        }
        for (int j = 0; j < 2; ++j) {
            place& q = j == 0 ? p.left : p.right;
            q = arrays_.place_of(d.operand[j], d.map[j], k, number);
            for (int l = 0; l < p.depth_axes; ++l) arrays_.walk(q, k.axes + l, d.map[j], kd.axes + p.group[l + 1] - 1);
        }
        place to;
        if (f_.stored.items[d.node]) to = arrays_.place_of(d.node, kd.order, k, number);
        if (to.stride[k.axes - 1] != 1) {
            to = place{};
            to.where = memory::panel;
            to.node = d.node;
            to.type = p.type;
            to.stride[k.axes - 1] = 1;
            to.stride[k.axes - 2] = -1;
        }
        p.to = plan_.places.push(to) - k.first_place;
        k.product = plan_.products.push(p);
    }

    constexpr void bind_loop(int number) {
        int const id = f_.kernels.items[number].custom;
        node const& n = g_.nodes.items[id];
        planned_loop c;
        c.node = id;
        c.op = n.op;
        c.attr = n.attr;
        c.item_axes = n.item_axes;
        c.operands = n.arity();
        for (int j = 0; j < c.operands; ++j) c.in[j] = arrays_.operand_in_memory(n.in[j], number);
        c.out[0] = arrays_.operand_in_memory(id, number);
        for (int i = id + 1; i < g_.nodes.size(); ++i) {
            node const& part = g_.nodes.items[i];
            if (part.kind != node_kind::custom_loop || part.op->part == 0 || part.in[0] != id) continue;
            if (f_.home.items[i] != number) continue;
            c.out[part.op->part] = arrays_.operand_in_memory(i, number);
            c.wanted[part.op->part] = true;
            if (part.op->has_small) c.part = part.op, c.has_part = true;
            if (c.parts <= part.op->part) c.parts = part.op->part + 1;
        }
        plan_.kernels.items[number].custom = plan_.custom_loops.push(c);
    }

    constexpr void bind_call(int number) {
        int const id = f_.kernels.items[number].custom;
        call_info const& c = g_.calls[g_.nodes.items[id].source];
        planned_call p;
        static_cast<call_header&>(p) = c.header();
        p.first_operand = plan_.call_operands.size();
        p.first_result = plan_.call_results.size();
        p.first_extent = plan_.call_extents.size();
        for (std::int64_t e : c.extents) plan_.call_extents.push(e);
        list<int> const operands = operands_of(g_, id);
        p.operands = operands.size();
        p.results = c.results.size();
        for (int o : operands) plan_.call_operands.push(arrays_.operand_in_memory(o, number));
        plan_.call_results.resize(p.first_result + p.results);
        for (int i : results_)
            if (f_.home.items[i] == number && g_.nodes.items[i].in[0] == id) {
                int const r = g_.nodes.items[i].attr.result();
                plan_.call_results.items[p.first_result + r] = {c.results[r], arrays_.operand_in_memory(i, number)};
            }
        plan_.kernels.items[number].call = plan_.calls.push(p);
    }

    /// Indices that were handed in are looked at first; computed ones before the first kernel that uses them as such.
    constexpr void bind_index_checks() {
        for (index_check const& c : g_.index_checks) {
            planned_check p;
            p.limit = g_.shapes.items[c.shape];
            p.rule = c.rule;
            p.by_row = c.lengths >= 0;
            if (!is_handed_in(g_, c.index) || (p.by_row && !is_handed_in(g_, c.lengths)))
                p.before = first_user(c);
            if (p.before == f_.kernels.size()) continue;  // nothing came to need them
            p.index = arrays_.operand_in_memory(c.index, p.before);
            if (p.by_row) p.lengths = arrays_.operand_in_memory(c.lengths, p.before);
            plan_.index_checks.push(p);
        }
    }
    constexpr int first_user(index_check const& c) const {
        int k = 0;
        while (k < f_.kernels.size() && !needs_check(f_.kernels[k].custom, c)) ++k;
        return k;
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

constexpr draft_plan bind_arrays(graph_to_plan const& p, grouping const& f, draft_plan plan) {
    binder(p, f, plan);
    return plan;
}

}  // namespace tapeless::detail::schedule_part
