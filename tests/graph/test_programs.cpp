// SPDX-License-Identifier: MIT
// Programs of the reference: values used several times, detached, unused.

#include "graph/run_program.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a value used twice gets both cotangents", "", double, float) {
    run_program<TestType, matrix, matrix>([](auto a) { return a * a; }, "reuse_mul");
    run_program<TestType, matrix, matrix, vector>([](auto a, auto b) { return (a - b) / (a + b) + a; },
                                                  "reuse_sub_div");
    run_program<TestType, matrix, matrix>(
        [](auto a) {
            auto u = ad::let(exp(a));
            return u * sin(u) + u;
        },
        "diamond");
}

TEST_CASE("programs: a number used twice gets both cotangents") {
    run_program<double, scalar, scalar>([](auto a) { return a * a; }, "reuse_mul");
}

TEMPLATE_TEST_CASE("programs: nothing flows through stop_gradient, nor to an argument that is not used", "", double,
                   float) {
    run_program<TestType, matrix, matrix, matrix>(
        [](auto a, auto b) { return a * stop_gradient(b) + b * stop_gradient(a * b); }, "detach");
    run_program<TestType, matrix, matrix, vector>([](auto a, auto) { return tanh(a); }, "unused_input");
}
