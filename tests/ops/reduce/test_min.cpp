// SPDX-License-Identifier: MIT
// min against the reference, along each arrangement of axes.

#include "ops/reduce_patterns.hpp"

using namespace reference;

TEST_CASE("min: double output and gradient are those of the reference") { run_reductions<double>(min_of{}, "min"); }
