// SPDX-License-Identifier: MIT
// Several reductions down the rows in one kernel, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: softmax, largest and variance of columns") {
    CHECK(sweep<"nm,m", 0, 1>(
              [](auto x, auto w) { return sum(softmax<0>(x) * w) + sum(max<0>(x) * w) + sum(var<0>(x + w)); }) == "");
}
TEST_CASE("sweep: sums that keep different axes of three") {
    CHECK(sweep<"bnm,m,n", 0, 1, 2>([](auto x, auto s, auto r) {
              return sum(exp(x * s) * ad::unsqueeze<-1>(r)) + sum(max<1>(x) * s);
          }) == "");
}
