// SPDX-License-Identifier: MIT
// sum against the reference: every rank and choice of axes, in the shapes of the file.

#include "ops/reduce_patterns.hpp"

using namespace reference;

TEST_CASE("sum: output and gradient are those of the reference for each choice of axes") {
    CHECK(
        run_reductions_if<
            double, reduction<cube, scalar, false>, reduction<cube, matrix, false, 0>,
            reduction<cube, matrix, false, 1>, reduction<cube, matrix, false, -1>, reduction<cube, vector, false, 0, 2>,
            reduction<cube, vector, false, 1, -1>, reduction<cube, vector, false, -3, -2>,
            reduction<cube, scalar, false, 0, 1, 2>, reduction<vector, scalar, false, 0>,
            reduction<shape_pattern<run, 1, run>, shape_pattern<1>, false, 0, 2>,
            reduction<shape_pattern<run, run, run, run>, matrix, false, 1, 3>,
            reduction<shape_pattern<run, 1, run>, matrix, false, 1>, reduction<scalar, scalar, false>,
            reduction<matrix, vector, false, 0>, reduction<matrix, scalar, false>, reduction<matrix, vector, false, 1>>(
            sum_of{}, "sum", [](test_case const& c) { return !c.flag("keepdims"); }) == 17);
}
