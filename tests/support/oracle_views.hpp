// SPDX-License-Identifier: MIT
#pragma once
// Views and padding, as the oracle has them.

#include "support/oracle_array.hpp"

#include <tapeless/ir/node.hpp>

namespace oracle {

namespace graph = tapeless::detail;

array filled(dtype type, lengths const& s, double number);

/// Where the elements of a view are in what it looks at. Axes in attributes count from the right; `start` is that of a
/// slice.
places view_of(graph::node const& n, std::int64_t start, lengths const& from, lengths const& to);
/// The operand where it is, so far from the beginning, and zeros around it; or moved along the axis.
array padded(graph::node const& n, std::int64_t before, array const& x, lengths const& s);

}  // namespace oracle
