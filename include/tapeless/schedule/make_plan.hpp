// SPDX-License-Identifier: MIT
#pragma once
// From a graph to its plan, step by step.

#include <tapeless/schedule/bind.hpp>
#include <tapeless/schedule/margins.hpp>
#include <tapeless/schedule/reuse.hpp>
#include <tapeless/schedule/strips.hpp>
#include <tapeless/schedule/tile.hpp>
#include <tapeless/schedule/together.hpp>

namespace tapeless::detail::inline schedule_part {

/// `g.dense` says which arguments and outputs are contiguous for certain. With `unrolls` several rows and batches are
/// computed at once.
constexpr draft_plan make_plan(builder const& g, list<int> const& outputs, bool unrolls) {
    graph_to_plan const graph(g, outputs, g.dense);
    materialised const kept = materialise(graph);                          // which values have kernels made for them
    grouping const kernels = gather_batches(g, group_tasks(graph, kept));  // which kernel computes what
    draft_plan levelled = assign_levels(graph, kernels);                   // where in its loops
    draft_plan bound = bind_arrays(graph, kernels, static_cast<draft_plan&&>(levelled));  // from and to which arrays
    draft_plan wide = find_margins(graph, static_cast<draft_plan&&>(bound));              // between which zeros
    draft_plan tiled = tile_loops(graph, kernels, static_cast<draft_plan&&>(wide), unrolls);  // how much at once
    draft_plan placed = reuse_results(graph, static_cast<draft_plan&&>(tiled));               // in which memory
    return find_strips(static_cast<draft_plan&&>(placed));  // how far one after the other
}

/// Of each kernel of that plan, which one came closest to taking what it was opened for, and why it did not.
constexpr list<refused_by> find_refusals(builder const& g, list<int> const& outputs) {
    graph_to_plan const graph(g, outputs, g.dense);
    materialised const kept = materialise(graph);
    list<refused_by> const found = find_refusals(graph, kept);
    list<int> const order = batch_gatherer(g, group_tasks(graph, kept)).order, number = numbers_in(order);
    list<refused_by> refusals;
    for (int k : order) {
        refused_by r = found.items[k];
        if (r.kernel >= 0) r.kernel = number.items[r.kernel];
        refusals.push(r);
    }
    return refusals;
}

}  // namespace tapeless::detail::schedule_part
