// SPDX-License-Identifier: MIT
// Levels that depend on each other within a row: softmax, norms, and chains of them, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: softmax and log-softmax of rows, weighted by columns") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) { return sum(softmax(x) * w) + sum(square(log_softmax(x * w))) * 0.01; }, {.most = 20000}) == "");
}
TEST_CASE("sweep: softmax of columns") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) { return sum(softmax<0>(x) * w * x); }, {.most = 20000}) == "");
}
TEST_CASE("sweep: the norm of a norm of a softmax") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x0, auto g) {
              auto const x = ad::let(ad::concat<1>(x0, 2.0 * x0 + 1.0, x0 * x0));
              auto const h = ad::let(ad::concat<0>(g, g, g));
              return mean(square(layer_norm(x + softmax(rms_norm(x, h, 1e-2)), h, h, 1e-1)) * 0.1 + 0.0) * 1.0;
          }, {.most = 6000}) == "");
}
TEST_CASE("sweep: ten levels in a row") {
    CHECK(sweep<"nm", 0>([](auto x) {
              auto y = ad::let(0.3 * x);
              for (int i = 0; i < 10; ++i) y = ad::let(tanh(y + 0.1 * ad::unsqueeze<1>(sum<1>(y * y)) * x) * 0.5);
              return sum(y);
          }, {.differences = false, .most = 3000, .longest = 130}) == "");
}
TEST_CASE("sweep: row norms with column gains, of a sum of two") {
    CHECK(sweep<"nm,nm,m,m", 0, 1, 2, 3>([](auto x, auto y, auto g, auto b) {
              return sum(square(layer_norm(x + tanh(y), g, b, 1e-1)) * 0.25);
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: three axes, norms over the last two") {
    CHECK(sweep<"anm", 0>([](auto x) { return sum(sin(ad::layer_norm<2>(x, 1e-1)) * 0.5); }, {.most = 20000}) == "");
}
TEST_CASE("sweep: group norm and batch norm") {
    CHECK(sweep<"a4n,4,4", 0, 1, 2>([](auto x, auto g, auto b) { return sum(square(ad::group_norm<2>(x, g, b, 1e-1))) * 0.1; }, {.most = 20000}) == "");
    CHECK(sweep<"an3,n,n,n,n", 0, 3, 4>([](auto x, auto m, auto v, auto g, auto b) {
              return sum(tanh(ad::batch_norm(x, m, square(v) + 0.5, g, b, 1e-2)));
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: log-sum-exp beside the row's largest and its softmax") {
    CHECK(sweep<"n(17),(17)", 0, 1>([](auto x, auto w) { return sum(logsumexp<1>(x * w)) + sum(max<1>(x + w)) + sum(softmax(x) * w); }) == "");
}
