// SPDX-License-Identifier: MIT
// maximum(a, b) against the reference, in every way of broadcasting.

#include "ops/binary_patterns.hpp"

namespace {
constexpr auto op = [](auto a, auto b) { return maximum(a, b); };
}

TEST_CASE("maximum: double output and gradients are those of the reference") { reference::run_binary_double(op, "maximum"); }
TEST_CASE("maximum: float output and gradients are those of the reference") { reference::run_binary_float(op, "maximum"); }
