// SPDX-License-Identifier: MIT
// a + b against the reference, in the very shapes of the file up to rank 2.

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {
using one = shape_pattern<1>;
using one_one = shape_pattern<1, 1>;
using row = shape_pattern<1, run>;

constexpr auto op = [](auto a, auto b) { return a + b; };
constexpr auto is_small = [](test_case const& c) { return c.out().rank() <= 2; };
}  // namespace

TEST_CASE("a + b: output and gradients are those of the reference in the shapes of the file, up to rank 2") {
    CHECK(run_binary_if<double, own, numbers, binary_pattern<matrix, matrix, matrix>,
                        binary_pattern<matrix, scalar, matrix>, binary_pattern<scalar, matrix, matrix>, with_row,
                        row_with, binary_pattern<one_one, matrix, matrix>, with_column,
                        binary_pattern<row, matrix, matrix>, binary_pattern<one, vector, vector>,
                        binary_pattern<matrix, row, matrix>, with_number>(op, "add", is_small) == 18);
}
TEST_CASE("a + b: float output and gradients are those of the reference") {
    run_binary<float, merged_or_stretched>(op, "add");
}
