// SPDX-License-Identifier: MIT
// sin, cos, tanh against the reference.

#include "ops/reference_cases.hpp"

using reference::run_unary;

TEMPLATE_TEST_CASE("sin: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return sin(x); }, "sin");
}
TEMPLATE_TEST_CASE("cos: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return cos(x); }, "cos");
}
TEMPLATE_TEST_CASE("tanh: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return tanh(x); }, "tanh");
}
