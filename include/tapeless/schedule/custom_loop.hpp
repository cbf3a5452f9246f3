// SPDX-License-Identifier: MIT
#pragma once
// Operations with loops of their own in a plan: where their operands are in memory, and which indices are looked at
// first.

#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/schedule/plan.hpp>
#include <tapeless/schedule/walk_table.hpp>

namespace tapeless::detail::inline schedule_part {

/// An operand: the node that is in memory, and which of its axes each axis of the operand (from the right) walks.
struct operand_draft {
    int node = -1;
    walk_map map;
};
constexpr operand_draft draft_operand(builder const& g, walk_table& table, int id) {
    operand_draft o;
    int const rank = g.shape_of(id).rank;
    for (int k = 0; k < rank; ++k) o.map.set(k, k);
    for (; is_walked_in_place(g, g.nodes.items[id]); id = g.nodes.items[id].in[0]) {
        node const& n = g.nodes.items[id];
        o.map = table.within(o.map, g.shapes.items[n.shape], rank);
        if (is_argument_reshaped(g, n)) {
            o.map = table.under(o.map, n.shape);
            o.node = n.in[0];
            return o;
        }
        if (n.kind == node_kind::view) o.map = table.through(g, n, o.map, rank);
    }
    o.node = id;
    o.map = table.within(o.map, g.shape_of(id), rank);
    return o;
}

/// The kernel that node `a` is: without axes, so that nothing joins it.
constexpr kernel_draft draft_loop(int a) {
    kernel_draft kd;
    kd.custom = a;
    kd.full = true;
    return kd;
}

}  // namespace tapeless::detail::schedule_part
