// SPDX-License-Identifier: MIT
// Levels that depend on each other within a row: softmax, norms, and chains of them, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: softmax and log-softmax of rows, weighted by columns") {
    CHECK(
        sweep<"nm,m", 0, 1>([](auto x, auto w) { return sum(softmax(x) * w) + sum(square(log_softmax(x * w))) * 0.01; },
                            {.most = 20000}) == "");
}
TEST_CASE("sweep: softmax of columns") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) { return sum(softmax<0>(x) * w * x); }, {.most = 20000}) == "");
}
TEST_CASE("sweep: the norm of a norm of a softmax") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto g) {
              return mean(square(layer_norm(x + softmax(rms_norm(x, g, 1e-2)), g, g, 1e-1)) * 0.1);
          }, {.most = 6000}) == "");
}
TEST_CASE("sweep: ten levels in a row") {
    CHECK(sweep<"nm">([](auto x) {
              auto y = ad::let(0.3 * x);
              for (int i = 0; i < 10; ++i) y = ad::let((y + 0.1 * ad::unsqueeze<1>(sum<1>(y * y)) * x) * 0.5);
              return sum(y);
          }, {.most = 3000, .longest = 130}) == "");
}
