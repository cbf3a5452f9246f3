// SPDX-License-Identifier: MIT
#pragma once
// Kernels while they are being made: which values of the graph one loop nest computes, seen from its axes.

#include <tapeless/schedule/walk.hpp>

namespace tapeless::detail::inline schedule_part {

enum class step_kind : std::uint8_t {
    load,        ///< from memory
    constant,    ///< a number
    extent,      ///< a run-time extent
    coordinate,  ///< where the one loop is that it walks
    eval,        ///< computed from other steps
    inside,      ///< another step, or 0 where the loops are beyond its bounds
    reduced,     ///< the result of a reduction of the same kernel
    product,     ///< the contraction the kernel begins with
};

/// The most operands of an operation on the values at one index.
inline constexpr int step_inputs = 3;
/// The most levels of a kernel that depend on each other within a row.
inline constexpr int max_phases = 8;

/// A value of the graph as one kernel needs it.
struct step_draft {
    int node = -1;
    walk_map map;
    step_kind kind = step_kind::eval;
    int in[step_inputs]{-1, -1, -1};  ///< of an eval: steps; of `reduced`: the root
    int phase = 0;  ///< how many reductions of the same kernel have to be complete before it, one after the other
};

/// What a kernel leaves behind: an array that is stored, or a reduction.
struct root_draft {
    int node = -1;
    int step = -1;  ///< what is stored or reduced
    walk_map map;   ///< of the result
    bool reduces = false;
    int axes = 0;   ///< how many of the kernel's loop axes this root needs
    bool adds = false;      ///< of a part of the node's array: added to what is there
    bool clears = false;    ///< the whole array is filled before the loops begin
    double filling = 0;     ///< with this
};

/// The contraction a kernel begins with: its operands in memory, as the kernel's loop axes walk them, and after those
/// the axes summed over.
struct product_draft {
    int node = -1;
    int operand[2]{-1, -1};
    walk_map map[2];
    int depth_axes = 0;
    std::int64_t depth[max_rank]{};
};

struct kernel_draft {
    int axes = 0;
    std::int64_t extent[max_rank]{};  ///< of the loop, as in dims
    int rows = -1;                    ///< where row-wise dependent levels share the outer axes: how many those are
    int segment = -1;                 ///< of a large program, where it began
    bool full = false;                ///< nothing more fits
    bool ordered = false;             ///< the loops have an order of their own:
    walk_map order;                   ///< the axis, of a value that has all of them, that each loop walks
    bool late = false;                ///< something is computed from a reduction that is complete at the very end only
    list<step_draft> steps;
    list<root_draft> roots;
    product_draft product;
    int custom = -1;                  ///< the node with a loop of its own that is all of this kernel
};

}  // namespace tapeless::detail::schedule_part
