// SPDX-License-Identifier: MIT
#pragma once
// What tracing gives and the passes hand on: a graph with its results.

#include <tapeless/ir/builder.hpp>
#include <tapeless/ops/layout.hpp>

namespace tapeless::detail::inline graph_part {

/// A graph and the numbers of its results. Where an output's memory has other axes than its node (unit axes dropped),
/// `output_axes` says which axis of the memory each axis of the node is.
struct traced {
    builder graph;
    list<int> outputs;
    list<axis_map> output_axes;
    list<int> output_shape;  ///< of each result, as the function gives it
};

}  // namespace tapeless::detail::graph_part
