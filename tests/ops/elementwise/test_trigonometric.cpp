// SPDX-License-Identifier: MIT
// Trigonometric functions and their inverses against the reference.

#include "ops/reference_cases.hpp"

using reference::run_unary;

TEMPLATE_TEST_CASE("sin, cos, tan: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return sin(x); }, "sin");
    run_unary<TestType>([](auto x) { return cos(x); }, "cos");
    run_unary<TestType>([](auto x) { return tan(x); }, "tan");
}
TEMPLATE_TEST_CASE("asin, acos, atan: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return asin(x); }, "asin");
    run_unary<TestType>([](auto x) { return acos(x); }, "acos");
    run_unary<TestType>([](auto x) { return atan(x); }, "atan");
}
