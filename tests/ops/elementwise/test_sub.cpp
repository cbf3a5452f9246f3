// SPDX-License-Identifier: MIT
// a - b against the reference.

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {
constexpr auto op = [](auto a, auto b) { return a - b; };
}

TEST_CASE("a - b: double output and gradients are those of the reference") {
    run_binary<double, merged_or_stretched, with_row, number_with>(op, "sub");
}
TEST_CASE("a - b: float output and gradients are those of the reference") {
    run_binary<float, merged_or_stretched>(op, "sub");
}
