// SPDX-License-Identifier: MIT
// Sums along any axes of several, and what is made from them in the next loop, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: reductions over the first and last of three axes, and over the one between") {
    CHECK(sweep<"anb", 0>([](auto x) { return sum(square(sum<0, 2>(x))) + sum(tanh(sum<1>(x))); }) == "");
    CHECK(sweep<"anb,b", 0, 1>(
              [](auto x, auto w) { return sum(exp(mean<1>(ad::concat<1>(x, x)) * w)) + sum(x * w); }) == "");
}
TEST_CASE("sweep: sums of four axes that do not collapse") {
    CHECK(sweep<"abcd,bd", 0, 1>(
              [](auto x, auto w) { return sum(square(sum<0, 2>(x))) + sum(sin(x) * ad::unsqueeze<1>(w)); },
              {.most = 30000}) == "");
}
TEST_CASE("sweep: a column sum used in the loop that follows, twice over") {
    CHECK(sweep<"nm", 0>([](auto x) {
              auto const a = ad::let(x - sum<0>(x) * 0.01);
              auto const b = ad::let(a * sum<0>(square(a)) * 0.001);
              return sum(tanh(b)) + sum(sum<1>(b) * sum<1>(a));
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: a number that everything needs, in the middle") {
    CHECK(sweep<"n,n", 0, 1>([](auto x, auto y) {
              auto const s = ad::let(sum(x * y) * 0.01);
              return sum(tanh(x * s + y)) + s;
          }) == "");
}
