// SPDX-License-Identifier: MIT
// Indices, joins, triangles and running sums, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: gathered, scattered and embedded rows") {
    CHECK(sweep<"nm,k<n,km", 0, 2>([](auto x, auto i, auto s) {
              auto const y = ad::let(ad::embedding(x, i));
              return sum(tanh(y) * s);
          }, {.most = 20000}) == "");
    CHECK(sweep<"nm,km<n,km", 0, 2>(
              [](auto x, auto i, auto s) {
                  return sum(square(ad::scatter_add<0>(x, i, s))) + sum(ad::gather<0>(x, i) * s);
              },
              {.differences = false, .most = 20000}) == "");
}
TEST_CASE("sweep: one-hot rows, and elements taken by number") {
    CHECK(sweep<"n5,n<5", 0>(
              [](auto x, auto i) { return sum(x * ad::one_hot<5, typename decltype(x)::value_type>(i)) * 1.0; },
              {.differences = false}) == "");
    CHECK(sweep<"n3,k<n", 0>([](auto x, auto i) { return sum(sin(ad::take(x, i))); }, {.most = 20000}) == "");
}
TEST_CASE("sweep: three arrays side by side, padded, rolled and tiled") {
    CHECK(sweep<"nm,nk", 0, 1>([](auto x, auto y) {
              auto const all = ad::let(ad::concat<1>(x, y, x * 2.0));
              return sum(sin(ad::roll<1>(ad::pad<1, 2, 0, 1>(all, 0.5), 2)) * 0.5) + sum(square(sum<0>(all)));
          }, {.most = 8000}) == "");
    CHECK(sweep<"nm", 0>([](auto x) { return sum(tanh(ad::tile<2, 3>(x))) + sum(square(sum<1>(ad::tile<1, 2>(x)))); },
                         {.most = 8000}) == "");
}
TEST_CASE("sweep: triangles, diagonals and running sums") {
    CHECK(
        sweep<"nm", 0>([](auto x) { return sum(sin(ad::tril(x) + ad::triu(x, 1) * 2.0)) + sum(exp(ad::diagonal(x))); },
                       {.most = 20000}) == "");
    CHECK(sweep<"nm,m", 0, 1>(
              [](auto x, auto w) { return sum(tanh(ad::cumsum<0>(x) * 0.1) * w) + sum(sin(ad::cumsum<1>(x * w))); },
              {.most = 8000}) == "");
}
