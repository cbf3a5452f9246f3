// SPDX-License-Identifier: MIT
#pragma once
// An interpreter of traced graphs, node by node, with plain loops in long double: slow, and nothing of the library's
// passes, plans or kernels is in it.

#include "support/oracle_array.hpp"
#include "support/oracle_functions.hpp"

#include <tapeless/graph/traced.hpp>

#include <vector>

namespace oracle {

namespace graph = tapeless::detail;

/// The results of a traced graph on these arguments.
std::vector<array> evaluate(graph::traced const& t, std::vector<array> const& arguments);

/// Whether the arguments have lengths that the function takes: what the library checks before it runs.
bool takes(graph::traced const& t, std::vector<array> const& arguments);

}  // namespace oracle
