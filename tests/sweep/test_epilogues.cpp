// SPDX-License-Identifier: MIT
// Products with what follows them in their write-back, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: a product, transposed on either side") {
    CHECK(sweep<"nk,km", 0, 1>([](auto x, auto w) { return sum(square(matmul(x, w))); }, {.most = 20000}) == "");
    CHECK(sweep<"kn,mk", 0, 1>([](auto x, auto w) { return sum(square(matmul(transpose(x), transpose(w)))); },
                               {.most = 20000}) == "");
    CHECK(sweep<"nk,mk,m", 0, 1, 2>([](auto x, auto w, auto b) { return sum(ad::relu(linear(x, w, b))); },
                                    {.differences = false, .most = 20000}) == "");
}
TEST_CASE("sweep: row reductions, column sums and a stored array behind one product") {
    CHECK(sweep<"nk,km,m", 0, 1, 2>([](auto x, auto w, auto b) {
              auto const y = ad::let(matmul(x, w) + b);
              return std::tuple(sum(logsumexp<1>(ad::concat<1>(y, y))) + sum(tanh(sum<0>(y))), y, sum<1>(y * y));
          }, {.most = 10000}) == "");
}
TEST_CASE("sweep: a perceptron of three layers") {
    CHECK(sweep<"nk,kh,h,hm,m", 0, 1, 2, 3, 4>([](auto x, auto w1, auto b1, auto w2, auto b2) {
              return mean(square(matmul(tanh(matmul(x, w1) + b1), w2) + b2) + 0.0 * sum(b2));
          }, {.differences = false, .most = 8000, .longest = 1026}) == "");
}
