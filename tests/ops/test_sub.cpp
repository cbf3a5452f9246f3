// SPDX-License-Identifier: MIT
// a - b against the reference, in every way of broadcasting.

#include "ops/binary_patterns.hpp"

namespace {
constexpr auto op = [](auto a, auto b) { return a - b; };
}

TEST_CASE("a - b: double output and gradients are those of the reference") { reference::run_binary_double(op, "sub"); }
TEST_CASE("a - b: float output and gradients are those of the reference") { reference::run_binary_float(op, "sub"); }
