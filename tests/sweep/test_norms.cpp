// SPDX-License-Identifier: MIT
// Norms of rows, groups and batches, and log-sum-exp, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: row norms with column gains, of a sum of two") {
    CHECK(sweep<"nm,nm,m,m", 0, 1, 2, 3>([](auto x, auto y, auto g, auto b) {
              return sum(square(layer_norm(x + tanh(y), g, b, 1e-1)) * 0.25);
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: three axes, norms over the last two") {
    CHECK(sweep<"anm", 0>([](auto x) { return sum(sin(ad::layer_norm<2>(x, 1e-1)) * 0.5); }, {.most = 20000}) == "");
}
TEST_CASE("sweep: group norm and batch norm") {
    CHECK(sweep<"a4n,4,4", 0, 1, 2>(
              [](auto x, auto g, auto b) { return sum(square(ad::group_norm<2>(x, g, b, 1e-1))) * 0.1; },
              {.most = 20000}) == "");
    CHECK(sweep<"an3,n,n,n,n", 0, 3, 4>([](auto x, auto m, auto v, auto g, auto b) {
              return sum(tanh(ad::batch_norm(x, m, square(v) + 0.5, g, b, 1e-2)));
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: log-sum-exp beside the row's largest and its softmax") {
    CHECK(sweep<"n(17),(17)", 0, 1>([](auto x, auto w) {
              return sum(logsumexp<1>(x * w)) + sum(max<1>(x + w)) + sum(softmax(x) * w);
          }) == "");
}
