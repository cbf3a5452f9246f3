// SPDX-License-Identifier: MIT
// max against the reference, along each arrangement of axes.

#include "ops/reduce_patterns.hpp"

using namespace reference;

TEST_CASE("max: double output and gradient are those of the reference") { run_reductions<double>(max_of{}, "max"); }
