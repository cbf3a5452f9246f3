// SPDX-License-Identifier: MIT
// a / b against the reference; in double with operands of each kind, where fewer divisors than quotients become
// reciprocals.

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {
constexpr auto op = [](auto a, auto b) { return a / b; };
}

TEST_CASE("a / b: double output and gradients are those of the reference, however the divisor broadcasts") {
    run_binary<double, merged_or_stretched, with_number, number_with, with_row, with_column, both_stretched,
               alternating>(op, "div");
}
TEST_CASE("a / b: float output and gradients are those of the reference") {
    run_binary<float, merged_or_stretched>(op, "div");
}
