// SPDX-License-Identifier: MIT
// Programs of the reference: statistics of rows, and where as a guard.

#include "graph/run_program.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: statistics of a row flow back through themselves", "", double, float) {
    run_program<TestType, matrix, matrix>(
        [](auto x) {
            auto c = ad::let(x - mean<1>(x, ad::keepdims));
            return c / sqrt(mean<1>(square(c), ad::keepdims) + 1e-3);
        },
        "center_scale");
    run_program<TestType, vector, matrix>(
        [](auto x) {
            auto m = stop_gradient(max<1>(x, ad::keepdims));
            return log(sum<1>(exp(x - m))) + sum<1>(m);
        },
        "stable_lse_detached");
}

TEMPLATE_TEST_CASE("programs: where guards the argument of log", "", double, float) {
    run_program<TestType, matrix, matrix>(
        [](auto x) {
            auto safe = where(x > 0.0, x, 1.0);
            return where(x > 0.0, log(safe), 0.0);
        },
        "double_where");
}
