// SPDX-License-Identifier: MIT
#pragma once
// The kernels of a graph while they are being made, and what one of them gets when a task joins it.

#include <tapeless/schedule/draft.hpp>
#include <tapeless/schedule/walk_table.hpp>

namespace tapeless::detail::inline schedule_part {

/// The kernels of a graph.
struct grouping {
    list<kernel_draft> kernels;
    list<int> home;      ///< the kernel that stores or reduces the node, or -1
    list<int> begun;     ///< the first kernel that writes into the node's array
    list<int> computed;  ///< the first kernel that computes the node over its whole shape
    list<char> stored;   ///< the node has to be in memory
    walk_table table;
};

/// The loops of a task, from the outermost on, and which axis of its value each walks.
struct task_loops {
    int axes = 0;
    std::int64_t extent[max_rank]{};
    walk_map map;
};

/// What a kernel gets when a task joins it.
struct extension {
    list<step_draft> steps;  ///< numbered on from the kernel's own
    root_draft root;
    int rows = -1;           ///< as in the kernel
    bool late = false, full = false;
    list<int> read;          ///< what has to be in memory: nodes that have a kernel,
    list<int> kept;          ///< and those that a kernel computes without storing them
};

/// The whole of every axis of the value is walked by the kernel.
constexpr bool covers(builder const& g, step_draft const& s, kernel_draft const& kd) {
    if (s.map.affine >= 0) return false;
    dims const& d = g.shape_of(s.node);
    int walked = 0, real = 0;
    for (int l = 0; l < kd.axes; ++l)
        walked += s.map.axis(l) != walk_map::none && d.from_right(s.map.axis(l)) == kd.extent[l];
    for (int i = 0; i < d.rank; ++i) real += d.extent[i] != 1;
    return walked == real;
}

/// Where to look first for a node's step: its number in the last kernel that has seen it. A note that is out of date
/// is none.
struct step_index {
    list<int> kernel, step;
    constexpr explicit step_index(int nodes) : kernel(nodes, -1), step(nodes, -1) {}
};

}  // namespace tapeless::detail::schedule_part
