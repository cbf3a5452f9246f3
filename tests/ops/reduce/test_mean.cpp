// SPDX-License-Identifier: MIT
// mean against the reference, along each arrangement of axes.

#include "ops/reduce_patterns.hpp"

using namespace reference;

TEST_CASE("mean: double output and gradient are those of the reference") { run_reductions<double>(mean_of{}, "mean"); }
TEST_CASE("mean: float output and gradient are those of the reference") { run_reductions<float>(mean_of{}, "mean"); }
