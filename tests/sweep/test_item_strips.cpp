// SPDX-License-Identifier: MIT
// Loops of their own, such as convolutions, that run item by item together with what is before and behind them: beside
// the oracle, at all numbers of items.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

namespace {
constexpr auto options = oracle::sweep_options{.differences = false, .most = 12000, .longest = 70};
}

TEST_CASE("sweep: item strips: bias, activation and pooling behind a convolution") {
    CHECK(sweep<"a167,3133,3", 0, 1, 2>(
              [](auto x, auto w, auto b) {
                  return sum(square(ad::max_pool2d<ad::pool{.size = 2}>(relu(ad::conv2d(x, w, b)))));
              },
              options) == "");
    CHECK(sweep<"a265,2233,2", 0, 1, 2>(
              [](auto x, auto w, auto b) {
                  auto const y = tanh(ad::conv2d<ad::conv{.stride = {1, 2}, .padding = 1}>(x, w, b));
                  return sum(sin(ad::avg_pool2d<ad::pool{.size = 2}>(y))) + sum(y * y);
              },
              options) == "");
}
TEST_CASE("sweep: item strips: several convolutions, groups, planes and what is added in between") {
    CHECK(sweep<"a466,4133,a266,2411", 0, 1, 2, 3>(
              [](auto x, auto w, auto s, auto v) {
                  auto const y = relu(ad::conv2d<ad::conv{.padding = 1, .groups = 4}>(x, w) + 0.25 * x);
                  return sum(square(ad::conv2d(y, v) - s));
              },
              options) == "");
    CHECK(sweep<"a1344,21222", 0, 1>(
              [](auto x, auto w) { return sum(exp(0.1 * relu(ad::conv3d<ad::conv{.padding = 1}>(x, w)))); }, options) ==
          "");
    CHECK(sweep<"a29,223,2", 0, 1, 2>(
              [](auto x, auto w, auto b) {
                  auto const y = ad::max_pool1d<ad::pool{.size = 3, .stride = 2}>(sin(ad::conv1d(exp(0.3 * x), w, b)));
                  return sum(square(ad::conv1d<ad::conv{.padding = 1}>(y, w)));
              },
              options) == "");
}
TEST_CASE("sweep: item strips: other loops of their own along rows") {
    CHECK(sweep<"n7,7", 0, 1>(
              [](auto x, auto b) { return sum(sin(ad::cumsum<1>(exp(0.2 * x) + b)) * ad::cumsum<1>(x)); }, options) ==
          "");
    CHECK(sweep<"n34,4", 0, 1>([](auto x, auto b) { return sum(square(ad::sort<2>(tanh(x * b)).values - b)); },
                               options) == "");
}
