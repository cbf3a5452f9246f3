// SPDX-License-Identifier: MIT
// Reductions of every kind, several of them in one pass, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: whole sums, products, extremes and counts") {
    CHECK(sweep<"n">([](auto x) {
              return std::tuple(sum(x), prod(0.1 * x + 1.0), ad::count_nonzero(x > 0.1), ad::any(x > 1.0),
                                ad::all(x > -1.0), mean(abs(x)));
          }) == "");
    CHECK(sweep<"n", 0>([](auto x) { return sum(exp(x)) * sum(x) + prod(0.01 * x + 1.0); }) == "");
}
TEST_CASE("sweep: all reductions of columns in one pass") {
    CHECK(sweep<"nm">(
              [](auto x) {
                  return std::tuple(sum<0>(x), prod<0>(0.1 * x + 1.0), max<0>(ad::concat<0>(x, x)),
                                    ad::count_nonzero<0>(x > 0.2), ad::argmin<0>(ad::concat<0>(x, x)), logsumexp<0>(x),
                                    sum(square(x)));
              },
              {.most = 20000}) == "");
}
TEST_CASE("sweep: all reductions of rows in one pass, and what they have in common with columns") {
    CHECK(sweep<"nm">(
              [](auto x) {
                  return std::tuple(sum<1>(x), prod<1>(0.1 * x + 1.0), ad::any<1>(x > 1.0), sum<0>(x), mean(x),
                                    ad::var<1>(ad::concat<1>(x, x)));
              },
              {.most = 20000}) == "");
}
