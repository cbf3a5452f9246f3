// SPDX-License-Identifier: MIT
// Convolutions and pooling, at all lengths of batches, rows and columns.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: convolutions along one axis: strided, dilated, in groups, and transposed") {
    CHECK(sweep<"a4n,423", 0, 1>(
              [](auto x, auto w) {
                  return sum(sin(ad::conv1d<ad::conv{.stride = 2, .padding = 2, .dilation = 2, .groups = 2}>(x, w)));
              },
              {.differences = false, .most = 8000}) == "");
    CHECK(sweep<"a2n,234", 0, 1>(
              [](auto x, auto w) {
                  return sum(sin(ad::conv_transpose1d<ad::conv{.stride = 3, .padding = 1, .output_padding = 1}>(x, w)));
              },
              {.differences = false, .most = 8000}) == "");
}
TEST_CASE("sweep: convolutions of images, with any number of channels in and out") {
    CHECK(sweep<"2cmn,oc33,o", 0, 1, 2>(
              [](auto x, auto w, auto b) { return sum(tanh(ad::conv2d<ad::conv{.padding = ad::same}>(x, w, b))); },
              {.differences = false, .most = 4000, .longest = 130}) == "");
}
TEST_CASE("sweep: pooling of rows and of images") {
    CHECK(sweep<"a2n", 0>(
              [](auto x) {
                  return sum(square(ad::max_pool1d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x))) +
                         sum(ad::avg_pool1d<ad::pool{.size = 4, .stride = 3, .padding = 2, .ceil = true}>(x));
              },
              {.differences = false, .most = 8000}) == "");
    CHECK(sweep<"2mn", 0>(
              [](auto x) {
                  return sum(square(ad::max_pool2d<ad::pool{.size = 2}>(x))) +
                         sum(sin(ad::avg_pool2d<ad::pool{.size = 3, .stride = {1, 2}, .padding = 1}>(x)));
              },
              {.differences = false, .most = 8000}) == "");
}
