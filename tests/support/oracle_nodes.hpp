// SPDX-License-Identifier: MIT
#pragma once
// One node and its operands: elementwise operations, reductions, contractions.

#include "support/oracle_functions.hpp"

#include <tapeless/ir/node.hpp>

namespace oracle {

namespace graph = tapeless::detail;

operation_key key_of(graph::node const& n);
std::string name_of(graph::node const& n);

array elementwise(graph::node const& n, std::vector<array const*> const& in, lengths const& shape);
array reduce(graph::node const& n, array const& x, lengths const& shape);
/// sum over axes of x * y, the two side by side.
array contract(graph::node const& n, array const& x, array const& y, lengths const& shape);

}  // namespace oracle
