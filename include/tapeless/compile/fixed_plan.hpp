// SPDX-License-Identifier: MIT
#pragma once
// A plan as a constant of fixed size.

#include <bit>

#include <tapeless/compile/graph_set.hpp>
#include <tapeless/schedule/make_plan.hpp>

namespace tapeless::detail {

struct plan_sizes {
    int kernels, steps, roots, places, order, buffers, products, walks, bounds, custom_loops, index_checks, calls,
        call_operands, call_results, call_extents;
    constexpr bool fits(plan_sizes const& room) const { return each_fits(*this, room); }
};
/// Room for the plans of most functions: see usual_graph_set.
inline constexpr plan_sizes usual_plan{.kernels = room(16, 4096),
                                       .steps = room(384, 32768),
                                       .roots = room(96, 8192),
                                       .places = room(256, 16384),
                                       .order = room(768, 65536),
                                       .buffers = room(64, 8192),
                                       .products = room(4, 2048),
                                       .walks = room(8, 1024),
                                       .bounds = room(1, 256),
                                       .custom_loops = room(2, 512),
                                       .index_checks = room(2, 512),
                                       .calls = room(1, 256),
                                       .call_operands = room(8, 2048),
                                       .call_results = room(8, 2048),
                                       .call_extents = room(8, 2048)};
/// The same for a graph of these sizes: large ones need more, and calls are known.
constexpr plan_sizes usual_plan_of(graph_sizes const& g) {
    constexpr int nodes_of_most = 256, operands_of_most = 32;
    auto r = std::bit_cast<each_size<plan_sizes>>(usual_plan);
    for (int& n : r.of) n *= room(1 + g.nodes / nodes_of_most, 1);
    auto p = std::bit_cast<plan_sizes>(r);
    auto at_least = [](int& n, int least) { n = n < least ? least : n; };
    at_least(p.calls, g.calls);
    at_least(p.call_operands, operands_of_most * g.calls);
    at_least(p.call_results, g.call_results);
    at_least(p.call_extents, g.call_extents);
    return p;
}

template <plan_sizes S>
struct fixed_plan {
    plan_sizes needed{};  ///< the others are filled where this is no more than S
    fixed_list<kernel, S.kernels> kernels;
    fixed_list<step, S.steps> steps;
    fixed_list<root, S.roots> roots;
    fixed_list<place, S.places> places;
    fixed_list<int, S.order> order;
    fixed_list<buffer, S.buffers> buffers;
    fixed_list<product, S.products> products;
    fixed_list<affine_walk, S.walks> walks;
    fixed_list<walk_bound, S.bounds> bounds;
    fixed_list<planned_loop, S.custom_loops> custom_loops;
    fixed_list<planned_check, S.index_checks> index_checks;
    fixed_list<planned_call, S.calls> calls;
    fixed_list<loop_operand, S.call_operands> call_operands;
    fixed_list<planned_result, S.call_results> call_results;
    fixed_list<std::int64_t, S.call_extents> call_extents;
};

}  // namespace tapeless::detail
