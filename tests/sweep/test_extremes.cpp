// SPDX-License-Identifier: MIT
// Extremes, variances and norms of rows and columns, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: extremes of rows, columns and all, and where they are") {
    CHECK(sweep<"nm", 0>([](auto x) {
              auto const y = ad::concat<0>(ad::concat<1>(x, 2.0 * x), ad::concat<1>(-1.0 * x, 0.5 * x));
              auto const z = ad::pad<1, 0, 1, 0>(y, 0.25);
              return sum(max<1>(z) * min<1>(z)) + sum(square(max<0>(z))) + max(z);
          }, {.most = 10000}) == "");
}
TEST_CASE("sweep: variance and norms of rows and columns") {
    CHECK(sweep<"nm", 0>([](auto x) {
              auto const y = ad::concat<0>(ad::concat<1>(x, x * x), ad::concat<1>(x + 1.0, x - 2.0));
              auto const z = ad::pad<1, 1, 1, 1>(y, 0.5);
              return sum(ad::var<1>(z)) + sum(ad::std_dev<0>(z)) + sum(ad::norm<1>(z)) + sum(ad::norm<0>(z, 3.0));
          }, {.most = 10000}) == "");
}
