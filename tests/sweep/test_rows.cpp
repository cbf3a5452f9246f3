// SPDX-License-Identifier: MIT
// Reductions by rows and by columns side by side, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;

TEST_CASE("sweep: one number a row beside column sums") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto b) { return sum(logsumexp<1>(x + b)); }) == "");
}
TEST_CASE("sweep: layer norm by input, gain and bias") {
    CHECK(sweep<"nm,m,m", 0, 1, 2>(
              [](auto x, auto g, auto b) { return sum(square(layer_norm(x, g, b, 1e-2)) * 0.5); }) == "");
}
TEST_CASE("sweep: what is taken from columns meets what is taken from rows") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) {
              return std::tuple(sum(tanh(x - mean<0>(x)) * w), max<1>(x), sum<0>(x * x));
          }) == "");
}
