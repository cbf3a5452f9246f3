// SPDX-License-Identifier: MIT
// Losses of classes, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace loss = tapeless::loss;

TEST_CASE("sweep: a classifier with class indices") {
    CHECK(sweep<"nk,ck,c,n<c", 0, 1, 2>(
              [](auto x, auto w, auto b, auto t) { return loss::cross_entropy(linear(x, w, b), t); }) == "");
}
TEST_CASE("sweep: the fused loss of a classifier") {
    CHECK(sweep<"nk,ck,c,n<c", 0, 1, 2>(
              [](auto x, auto w, auto b, auto t) { return loss::fused_linear_cross_entropy(x, w, b, t); }) == "");
}
