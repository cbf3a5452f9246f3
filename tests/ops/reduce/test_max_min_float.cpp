// SPDX-License-Identifier: MIT
// max and min in float against the reference.

#include "ops/reduce_patterns.hpp"

using namespace reference;

TEST_CASE("max: float output and gradient are those of the reference") { run_reductions<float>(max_of{}, "max"); }
TEST_CASE("min: float output and gradient are those of the reference") { run_reductions<float>(min_of{}, "min"); }
