// SPDX-License-Identifier: MIT
// Reductions by rows and by columns side by side, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;

TEST_CASE("sweep: one number a row beside column sums") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto b) { return sum(logsumexp<1>(x + b)); }) == "");
}
