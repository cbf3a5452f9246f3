// SPDX-License-Identifier: MIT
// The reference cases of matrices that are larger than a block.

#include "large/run_large.hpp"

using namespace reference;
namespace la = ad::linalg;

TEMPLATE_TEST_CASE("large: cholesky and solve_triangular", "", double, float) {
    run_large<TestType, matrix, matrix, data<scalar>>(
        [](auto a, auto shift) { return la::cholesky(matmul(a, ad::transpose(a)) + shift * la::matrix_power(a, 0)); },
        "cholesky_gram", [](test_case& c) { add_parameter(c, "shift"); });
    run_large<TestType, matrix, matrix, matrix>([](auto a, auto b) { return la::solve_triangular(a, b, la::unit); },
                                                "solve_triangular",
                                                [](test_case& c) {
                                                    REQUIRE(c.flag("unit"));
                                                    REQUIRE(!c.flag("upper"));
                                                    REQUIRE(!c.flag("transpose"));
                                                });
}
