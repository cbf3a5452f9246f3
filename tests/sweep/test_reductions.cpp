// SPDX-License-Identifier: MIT
// Reductions of every kind and along every axis, several of them in one pass, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: whole sums, products, extremes and counts") {
    CHECK(sweep<"n">([](auto x) {
              return std::tuple(sum(x), prod(0.1 * x + 1.0), ad::count_nonzero(x > 0.1), ad::any(x > 1.0), ad::all(x > -1.0), mean(abs(x)));
          }) == "");
    CHECK(sweep<"n", 0>([](auto x) { return sum(exp(x)) * sum(x) + prod(0.01 * x + 1.0); }) == "");
}
TEST_CASE("sweep: all reductions of columns in one pass") {
    CHECK(sweep<"nm">([](auto x) {
              return std::tuple(sum<0>(x), prod<0>(0.1 * x + 1.0), max<0>(ad::concat<0>(x, x)), ad::count_nonzero<0>(x > 0.2),
                                ad::argmin<0>(ad::concat<0>(x, x)), logsumexp<0>(x), sum(square(x)));
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: all reductions of rows in one pass, and what they have in common with columns") {
    CHECK(sweep<"nm">([](auto x) {
              return std::tuple(sum<1>(x), prod<1>(0.1 * x + 1.0), ad::any<1>(x > 1.0), sum<0>(x), mean(x), ad::var<1>(ad::concat<1>(x, x)));
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: extremes of rows, columns and all, and where they are") {
    CHECK(sweep<"nm", 0>([](auto x) {
              auto const y = ad::concat<0>(ad::concat<1>(x, 2.0 * x), ad::concat<1>(-1.0 * x, 0.5 * x));
              auto const z = ad::pad<1, 0, 1, 0>(y, 0.25);
              return sum(max<1>(z) * min<1>(z)) + sum(square(max<0>(z))) + max(z);
          }, {.most = 10000}) == "");
}
TEST_CASE("sweep: reductions over the first and last of three axes, and over the one between") {
    CHECK(sweep<"anb", 0>([](auto x) { return sum(square(sum<0, 2>(x))) + sum(tanh(sum<1>(x))); }) == "");
    CHECK(sweep<"anb,b", 0, 1>([](auto x, auto w) { return sum(exp(mean<1>(ad::concat<1>(x, x)) * w)) + sum(x * w); }) == "");
}
TEST_CASE("sweep: sums of four axes that do not collapse") {
    CHECK(sweep<"abcd,bd", 0, 1>([](auto x, auto w) { return sum(square(sum<0, 2>(x))) + sum(sin(x) * ad::unsqueeze<1>(w)); }, {.most = 30000}) == "");
}
TEST_CASE("sweep: variance and norms of rows and columns") {
    CHECK(sweep<"nm", 0>([](auto x) {
              auto const y = ad::concat<0>(ad::concat<1>(x, x * x), ad::concat<1>(x + 1.0, x - 2.0));
              auto const z = ad::pad<1, 1, 1, 1>(y, 0.5);
              return sum(ad::var<1>(z)) + sum(ad::std_dev<0>(z)) + sum(ad::norm<1>(z)) + sum(ad::norm<0>(z, 3.0));
          }, {.most = 10000}) == "");
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
