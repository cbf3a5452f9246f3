// SPDX-License-Identifier: MIT
// Views, joins and indices, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: joined arrays, turned round and cut") {
    CHECK(sweep<"nm,km", 0, 1>([](auto x, auto y) {
              auto const both = ad::concat<0>(x, ad::flip<0>(y));
              return sum(exp(ad::slice<0, 1, ad::to_end>(both)) * ad::slice<0, 0, -1>(both));
          }) == "");
}
TEST_CASE("sweep: transposed beside reshaped") {
    CHECK(sweep<"n4,4n", 0, 1>([](auto x, auto y) {
              return sum(tanh(x * ad::transpose(y))) + sum(ad::reshape<2, -1>(square(x) * 0.5) * ad::reshape<2, -1>(y));
          }) == "");
}
TEST_CASE("sweep: rows picked by an index, running sums of them") {
    CHECK(sweep<"nm,k<n,m", 0, 2>([](auto x, auto i, auto w) {
              return sum(ad::cumsum<0>(ad::index_select<0>(x, i)) * w) + sum(ad::cumsum<1>(x));
          }) == "");
}
