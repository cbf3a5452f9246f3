// SPDX-License-Identifier: MIT
// minimum(a, b) against the reference, in every way of broadcasting.

#include "ops/binary_patterns.hpp"

namespace {
constexpr auto op = [](auto a, auto b) { return minimum(a, b); };
}

TEST_CASE("minimum: double output and gradients are those of the reference") { reference::run_binary_double(op, "minimum"); }
TEST_CASE("minimum: float output and gradients are those of the reference") { reference::run_binary_float(op, "minimum"); }
