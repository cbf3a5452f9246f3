// SPDX-License-Identifier: MIT
// Loops, branches, checkpoints and many items at once, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: a scan that stacks its carry beside another length") {
    CHECK(sweep<"m,m,tm,tm", 0, 1, 2>(
              [](auto w, auto start, auto xs, auto ys) {
                  auto const s = ad::scan(
                      [&](auto h, auto x) {
                          auto const n = ad::let(tanh(w * h + x));
                          return std::pair(n, n);
                      },
                      start, xs);
                  return sum(square(ys - std::get<1>(s)));
              },
              {.most = 6000, .longest = 300}) == "");
}
TEST_CASE("sweep: sequences that are strided views, in whole and in part, and a reshape") {
    CHECK(sweep<"m,tm^,tm~", 0, 1, 2>([](auto w, auto xs, auto ys) {
              auto const f = [&](auto h, auto x, auto y) { return ad::let(tanh(w * h + x) * y); };
              auto const whole = ad::fold(f, w, xs, ys);
              return sum(whole) + sum(ad::fold(f, whole, ad::slice<0, 1, ad::to_end>(ys), ad::slice<0, 0, -1>(xs)));
          }, {.most = 4000, .longest = 130}) == "");
    CHECK(sweep<"2,t6", 0, 1>(
              [](auto w, auto xs) {
                  auto const [h, all] = ad::scan(
                      [&](auto c, auto x) {
                          auto const n = ad::let(sin(w * c + x));
                          return std::pair(n, n * x);
                      },
                      w, ad::reshape<-1, 2>(xs));
                  return sum(h) + sum(square(all));
              },
              {.most = 4000, .longest = 130}) == "");
}
TEST_CASE("sweep: a recurrent cell with a product") {
    CHECK(sweep<"hh,hk,tk,h", 0, 1, 2, 3>(
              [](auto u, auto w, auto xs, auto start) {
                  return sum(square(ad::fold(
                      [&](auto h, auto x) { return ad::let(tanh(matmul(u, h) * 0.3 + matmul(w, x))); }, start, xs)));
              },
              {.differences = false, .most = 6000, .longest = 130}) == "");
}
TEST_CASE("sweep: a loop in a loop") {
    CHECK(sweep<"tm,m", 0, 1>([](auto xs, auto w) {
              auto const f = [&](auto h, auto x) {
                  return ad::let(ad::fold<3>([&](auto c) { return ad::let(sin(c * w) + x); }, h));
              };
              return sum(ad::fold(f, w, xs));
          }, {.most = 4000, .longest = 130}) == "");
}
