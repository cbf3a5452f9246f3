// SPDX-License-Identifier: MIT
// a * b against the reference; in float in every way of broadcasting.

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {
constexpr auto op = [](auto a, auto b) { return a * b; };
}

TEST_CASE("a * b: double output and gradients are those of the reference") {
    run_binary<double, merged_or_stretched>(op, "mul");
}
TEST_CASE("a * b: float output and gradients are those of the reference, however the operands broadcast") {
    run_binary<float, merged, numbers, alike, number_with, with_column, middle_stretched, both_stretched>(op, "mul");
}
