// SPDX-License-Identifier: MIT
// The reference cases of a * b in the very shapes of the file: ranks that differ, extents of 1 on either side.

#include "ops/binary_patterns.hpp"

namespace {

using namespace reference;

using one = shape_pattern<1>;
using one_one = shape_pattern<1, 1>;
using row = shape_pattern<1, run>;
using lifted = shape_pattern<1, 1, run, run>;

constexpr auto product = [](auto a, auto b) { return a * b; };

}  // namespace

TEST_CASE("broadcast: a * b has the reference's output and gradients in each operand's own shape") {
    run_binary<double, numbers, binary_pattern<matrix, matrix, matrix>, binary_pattern<matrix, scalar, matrix>,
               binary_pattern<scalar, matrix, matrix>, with_row, row_with, middle_stretched,
               binary_pattern<vector, cube, cube>, binary_pattern<one_one, matrix, matrix>, both_stretched, with_column,
               binary_pattern<row, matrix, matrix>, binary_pattern<one, vector, vector>,
               binary_pattern<lifted, matrix, lifted>, alternating, binary_pattern<matrix, row, matrix>, with_number,
               binary_pattern<cube, cube, cube>>(product, "mul", false);
}
