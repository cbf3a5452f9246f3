// SPDX-License-Identifier: MIT
// a + b against the reference, in the very shapes of the file from rank 3 on.

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {
using lifted = shape_pattern<1, 1, run, run>;

constexpr auto op = [](auto a, auto b) { return a + b; };
constexpr auto is_large = [](test_case const& c) { return c.out().rank() > 2; };
}  // namespace

TEST_CASE("a + b: output and gradients are those of the reference in the shapes of the file, from rank 3 on") {
    CHECK(run_binary_if<double, own, middle_stretched, binary_pattern<vector, cube, cube>, both_stretched,
                        binary_pattern<lifted, matrix, lifted>, alternating, binary_pattern<cube, cube, cube>>(
              op, "add", is_large) + 18 == count_in_file("binary", "add"));
}
