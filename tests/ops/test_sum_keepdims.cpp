// SPDX-License-Identifier: MIT
// sum with keepdims against the reference, in the shapes of the file; and sum in float.

#include "ops/reduce_patterns.hpp"

using namespace reference;

TEST_CASE("sum: with keepdims output and gradient are those of the reference for each choice of axes") {
    using ones = shape_pattern<1, 1, 1>;
    CHECK(run_reductions_if<double, reduction<cube, ones, true>, reduction<cube, shape_pattern<1, run, run>, true, 0>,
                            reduction<cube, shape_pattern<run, 1, run>, true, 1>,
                            reduction<cube, shape_pattern<run, run, 1>, true, -1>,
                            reduction<cube, shape_pattern<1, run, 1>, true, 0, 2>,
                            reduction<cube, shape_pattern<run, 1, 1>, true, 1, -1>,
                            reduction<cube, shape_pattern<1, 1, run>, true, -3, -2>,
                            reduction<cube, ones, true, 0, 1, 2>, reduction<matrix, column, true, 1>>(
              sum_of{}, "sum", [](test_case const& c) { return c.flag("keepdims"); }) == 9);
    CHECK(count_in_file("reduce", "sum") == 17 + 9);
}
TEST_CASE("sum: float output and gradient are those of the reference") { run_reductions<float>(sum_of{}, "sum"); }
