// SPDX-License-Identifier: MIT
// Products of matrices with something before and behind them, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;

TEST_CASE("sweep: a linear layer with an epilogue") {
    CHECK(sweep<"nk,mk,m", 0, 1, 2>([](auto x, auto w, auto b) { return sum(square(tanh(linear(x, w, b)))); }) == "");
}
TEST_CASE("sweep: batches of products, one operand computed") {
    CHECK(sweep<"bnk,bkm,m", 0, 1, 2>([](auto x, auto y, auto s) { return sum(matmul(sin(x), y) * s); }) == "");
}
