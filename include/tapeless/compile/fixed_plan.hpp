// SPDX-License-Identifier: MIT
#pragma once
// A plan as a constant of fixed size.

#include <bit>

#include <tapeless/compile/graph_set.hpp>
#include <tapeless/schedule/make_plan.hpp>

namespace tapeless::detail::inline compile_part {

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

/// A plan in room that is large enough, or what it needs.
template <plan_sizes Room>
constexpr fixed_plan<Room> fixed_into(draft_plan const& p) {
    fixed_plan<Room> r;
    r.needed = {p.kernels.size(),       p.steps.size(),        p.roots.size(),        p.places.size(),
                p.order.size(),         p.buffers.size(),      p.products.size(),     p.walks.size(),
                p.bounds.size(),        p.custom_loops.size(), p.index_checks.size(), p.calls.size(),
                p.call_operands.size(), p.call_results.size(), p.call_extents.size()};
    if (!r.needed.fits(Room)) return r;
    r.kernels.take(p.kernels);
    r.steps.take(p.steps);
    r.roots.take(p.roots);
    r.places.take(p.places);
    r.order.take(p.order);
    r.buffers.take(p.buffers);
    r.products.take(p.products);
    r.walks.take(p.walks);
    r.bounds.take(p.bounds);
    r.custom_loops.take(p.custom_loops);
    r.index_checks.take(p.index_checks);
    r.calls.take(p.calls);
    r.call_operands.take(p.call_operands);
    r.call_results.take(p.call_results);
    r.call_extents.take(p.call_extents);
    return r;
}
/// A plan in just the room it needs.
template <plan_sizes Need, plan_sizes Room>
constexpr fixed_plan<Need> shrunk(fixed_plan<Room> const& p) {
    return {Need,
            first<Need.kernels>(p.kernels),
            first<Need.steps>(p.steps),
            first<Need.roots>(p.roots),
            first<Need.places>(p.places),
            first<Need.order>(p.order),
            first<Need.buffers>(p.buffers),
            first<Need.products>(p.products),
            first<Need.walks>(p.walks),
            first<Need.bounds>(p.bounds),
            first<Need.custom_loops>(p.custom_loops),
            first<Need.index_checks>(p.index_checks),
            first<Need.calls>(p.calls),
            first<Need.call_operands>(p.call_operands),
            first<Need.call_results>(p.call_results),
            first<Need.call_extents>(p.call_extents)};
}
template <plan_sizes S>
constexpr fixed_plan<S> without_operations(fixed_plan<S> p) {
    for (step& t : p.steps.items) t.op = nullptr;
    for (planned_loop& l : p.custom_loops.items) l.op = l.part = nullptr;
    return p;
}

}  // namespace tapeless::detail::compile_part
