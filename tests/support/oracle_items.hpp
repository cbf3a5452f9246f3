// SPDX-License-Identifier: MIT
#pragma once
// The loops of operations' own, on one item and on many.

#include "support/oracle_array.hpp"

#include <tapeless/ir/node.hpp>

namespace oracle {

namespace graph = tapeless::detail;

/// Of many items along leading axes, each by itself; those that are fixed have no such axes.
std::vector<array> each_item(graph::node const& n, int items, std::vector<array const*> const& in,
                                    std::vector<char> const& fixed, lengths const& s);

}  // namespace oracle
