// SPDX-License-Identifier: MIT
#pragma once
// Third step of a plan, levels: loops collapsed, and every step and root at the loop level where it varies.

#include <tapeless/schedule/join.hpp>
#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail::inline schedule_part {

/// Whether loops l and l + 1, the inner one so long, walk the array of a node as one loop would.
constexpr bool are_walked_as_one(graph_to_plan const& p, walk_table const& table, walk_map m, int l,
                                 std::int64_t length, int node) {
    return table.joins(m, l, length, table.shape(p.g, node, m), p.is_dense(node), p.is_columns(node));
}
/// Whether both operands of a product walk these axes as one.
constexpr bool product_collapses(graph_to_plan const& p, walk_table const& table, product_draft const& d, int l,
                                 std::int64_t length) {
    return are_walked_as_one(p, table, d.map[0], l, length, d.operand[0]) &&
           are_walked_as_one(p, table, d.map[1], l, length, d.operand[1]);
}

namespace levelling {

/// Neighbouring axes become one loop where everything in the kernel walks both or neither, contiguously.
constexpr bool collapses(graph_to_plan const& p, walk_table const& table, kernel_draft const& kd, int l) {
    if (kd.rows == l + 1) return false;
    auto together = [&](walk_map m, bool in_memory, int node) {
        if (!table.bounds_join(m, l, kd.extent[l + 1])) return false;
        bool const a = m.axis(l) != walk_map::none, b = m.axis(l + 1) != walk_map::none;
        return a == b && (!a || !in_memory || are_walked_as_one(p, table, m, l, kd.extent[l + 1], node));
    };
    for (step_draft const& s : kd.steps)
        if (!together(s.map, s.kind == step_kind::load || s.kind == step_kind::coordinate, s.node)) return false;
    for (root_draft const& r : kd.roots)
        if (!together(r.map, true, r.node) || r.axes == l + 1) return false;
    return kd.product.node < 0 || product_collapses(p, table, kd.product, l, kd.extent[l + 1]);
}
constexpr kernel collapsed_loops(graph_to_plan const& p, walk_table const& table, kernel_draft const& kd) {
    kernel k;
    k.shape.rank = kd.axes;
    for (int l = 0; l < kd.axes; ++l) {
        k.shape.extent[l] = kd.extent[l];
        if (l == 0 || !collapses(p, table, kd, l - 1)) {
            k.extent[k.axes] = 1;
            k.group[k.axes++] = l;
        }
        std::int64_t& e = k.extent[k.axes - 1];
        e = e < 0 || kd.extent[l] < 0 ? -1 : e * kd.extent[l];
        k.group[k.axes] = l + 1;
    }
    return k;
}

constexpr unsigned loops_walked(walk_map m, kernel const& k) {
    unsigned v = 0;
    for (int l = 0; l < k.axes; ++l)
        if (m.axis(k.group[l]) != walk_map::none) v |= 1u << l;
    return v;
}
/// The loops that decide whether a step is within its bounds.
constexpr unsigned loops_bounding(walk_table const& table, walk_map m, kernel const& k) {
    unsigned const axes = table.bounded_loops(m);
    unsigned v = 0;
    for (int l = 0; l < k.axes && axes != 0; ++l)
        for (int a = k.group[l]; a < k.group[l + 1]; ++a)
            if (axes >> a & 1) v |= 1u << l;
    return v;
}
constexpr int level_of(unsigned varies) {
    int l = 0;
    while (varies >> l) ++l;
    return l;
}
constexpr bool is_complete_at_row(kernel_draft const& kd, root_draft const& r) {
    for (int l = 0; l < kd.axes; ++l)
        if ((r.map.axis(l) != walk_map::none) != (l < kd.rows)) return false;
    return true;
}

/// `before` are the kernel's steps so far.
constexpr step step_at_level(builder const& g, walk_table const& table, kernel const& k, kernel_draft const& kd,
                          step_draft const& d, step const* before) {
    node const& n = g.nodes.items[d.node];
    step s;
    s.kind = d.kind;
    s.node = d.node;
    s.type = n.type;
    s.op = n.op;
    s.number = n.attr.value();
    s.source = n.source;
    s.varies = loops_walked(d.map, k) | loops_bounding(table, d.map, k);
    if (d.kind == step_kind::load || d.kind == step_kind::inside) s.bounds = table.bounds_of(d.map);
    s.level = level_of(s.varies);
    if (d.kind == step_kind::inside) {
        s.in[0] = d.in[0];
        s.slot = before[d.in[0]].slot;
    } else if (d.kind == step_kind::eval) {
        for (int j = 0; j < n.arity(); ++j) {
            s.in[j] = d.in[j];
            step const& t = before[d.in[j]];
            s.slot = t.slot > s.slot ? t.slot : s.slot;
        }
    } else if (d.kind == step_kind::reduced) {
        root_draft const& r = kd.roots.items[d.in[0]];
        s.source = d.in[0];
        bool const row = k.axes == 1 || (kd.rows >= 0 && is_complete_at_row(kd, r));
        s.slot = row ? before[r.step].slot + 1 : after_everything;
    }
    return s;
}
constexpr root place_root(builder const& g, kernel const& k, root_draft const& d, step const& s) {
    root r;
    r.node = d.node;
    r.step = d.step;
    r.type = g.nodes.items[d.node].type;
    r.slot = s.slot;
    r.varies = loops_walked(d.map, k);
    r.adds = d.adds;
    r.clears = d.clears;
    r.filling = d.filling;
    if (!d.reduces) {
        r.level = level_of(r.varies | s.varies);
        return r;
    }
    unsigned const inmost = k.axes ? 1u << (k.axes - 1) : 0, outer = k.axes ? inmost - 1 : 0;
    unsigned all = 0;
    for (int l = 0; l < k.axes; ++l)
        if (k.group[l] < d.axes) all |= 1u << l;
    r.combine = g.nodes.items[d.node].op->combine;
    r.reduced = all & ~r.varies;
    r.level = level_of(all);
    r.how = r.level < k.axes           ? target::partial
            : !(r.reduced & inmost)    ? target::column
            : (r.reduced & outer) == 0 ? target::row
            : r.varies == 0            ? target::everything
                                       : target::partial;
    return r;
}

/// A loop of its own runs over its result; a call over nothing.
constexpr kernel custom_kernel(builder const& g, int node) {
    kernel k;
    dims const& d = g.shape_of(node);
    for (int a = 0; a < d.rank && !has_role(g, node, loop_role::call); ++a)
        if (d.extent[a] != 1) k.shape.extent[k.shape.rank++] = d.extent[a];
    return k;
}

}  // namespace levelling

constexpr draft_plan assign_levels(graph_to_plan const& p, grouping const& f) {
    using namespace levelling;
    draft_plan plan;
    for (kernel_draft const& kd : f.kernels) {
        if (kd.custom >= 0) {
            plan.kernels.push(custom_kernel(p.g, kd.custom));
            continue;
        }
        kernel k = collapsed_loops(p, f.table, kd);
        k.first_step = plan.steps.size();
        k.steps = kd.steps.size();
        k.first_root = plan.roots.size();
        k.roots = kd.roots.size();
        for (step_draft const& d : kd.steps)
            plan.steps.push(step_at_level(p.g, f.table, k, kd, d, plan.steps.items + k.first_step));
        for (root_draft const& d : kd.roots)
            plan.roots.push(place_root(p.g, k, d, plan.steps.items[k.first_step + d.step]));
        plan.kernels.push(k);
    }
    return plan;
}

}  // namespace tapeless::detail::schedule_part
