// SPDX-License-Identifier: MIT
// where against the reference, in float.

#include "ops/where_patterns.hpp"

using namespace reference;

TEST_CASE("where: float output and gradients are those of the reference, however the three operands broadcast") {
    run_where<float, where_pattern<matrix, matrix, matrix, matrix>, where_pattern<vector, matrix, matrix, matrix>,
              where_pattern<scalar, matrix, matrix, matrix>, where_pattern<matrix, vector, matrix, matrix>>();
}
