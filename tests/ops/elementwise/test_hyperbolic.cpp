// SPDX-License-Identifier: MIT
// Hyperbolic functions and their inverses against the reference.

#include "ops/reference_cases.hpp"

using reference::run_unary;

TEMPLATE_TEST_CASE("sinh, cosh, tanh: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return sinh(x); }, "sinh");
    run_unary<TestType>([](auto x) { return cosh(x); }, "cosh");
    run_unary<TestType>([](auto x) { return tanh(x); }, "tanh");
}
TEMPLATE_TEST_CASE("asinh, acosh, atanh: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return asinh(x); }, "asinh");
    run_unary<TestType>([](auto x) { return acosh(x); }, "acosh");
    run_unary<TestType>([](auto x) { return atanh(x); }, "atanh");
}
