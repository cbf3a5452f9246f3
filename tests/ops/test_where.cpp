// SPDX-License-Identifier: MIT
// where against the reference, in double.

#include "ops/where_patterns.hpp"

using namespace reference;

TEST_CASE("where: double output and gradients are those of the reference, however the three operands broadcast") {
    run_where<double, where_pattern<matrix, matrix, matrix, matrix>, where_pattern<matrix, scalar, matrix, matrix>,
              where_pattern<matrix, matrix, scalar, matrix>, where_pattern<vector, matrix, matrix, matrix>,
              where_pattern<column, vector, matrix, matrix>, where_pattern<cube, vector, column, cube>,
              where_pattern<scalar, matrix, matrix, matrix>,
              where_pattern<shape_pattern<1, run>, column, shape_pattern<1, 1>, matrix>,
              where_pattern<matrix, vector, column, matrix>, where_pattern<matrix, vector, matrix, matrix>>();
}
