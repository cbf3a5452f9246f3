// SPDX-License-Identifier: MIT
// Loops over sequences, at all lengths of the sequence and of what is carried.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: a fold of rows") {
    CHECK(sweep<"m,tm,m", 0, 1, 2>(
              [](auto w, auto xs, auto start) {
                  return sum(square(ad::fold([&](auto h, auto x) { return ad::let(tanh(w * h + x)); }, start, xs)));
              },
              {.longest = 514}) == "");
}
TEST_CASE("sweep: a scan that stacks numbers") {
    CHECK(sweep<"m,tm,m", 0, 1, 2>(
              [](auto w, auto xs, auto start) {
                  auto const [last, sums] = ad::scan(
                      [&](auto h, auto x) {
                          auto const next = ad::let(0.5 * h + sin(w * x));
                          return std::pair(next, sum(next * x));
                      },
                      start, xs);
                  return sum(square(last)) + sum(sums * sums);
              },
              {.longest = 514}) == "");
}
