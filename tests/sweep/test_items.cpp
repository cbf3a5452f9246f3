// SPDX-License-Identifier: MIT
// Branches, checkpoints and many items at once, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: one of two functions, chosen by a number that is computed") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) {
              return ad::cond(sum(x) > 0.0, [&] { return sum(tanh(x * w)); }, [&] { return sum(square(x) * w); });
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: checkpoints of rows and of sums") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) {
              auto const block = [&](auto v) { return ad::let(tanh(v * w) + softmax(v)); };
              return sum(ad::checkpoint(block)(ad::checkpoint(block)(x)) * w);
          }, {.most = 8000}) == "");
}
TEST_CASE("sweep: many items at once: rows of numbers, products, extremes") {
    CHECK(sweep<"nm,m", 0, 1>(
              [](auto x, auto w) {
                  return sum(ad::vmap<0, -1>(
                      [](auto r, auto v) { return logsumexp(ad::concat<0>(r * v, r)) + sum(sin(r)); })(x, w));
              },
              {.most = 20000}) == "");
    CHECK(sweep<"akm,ak", 0, 1>([](auto x, auto y) {
              return sum(square(ad::vmap<0, 0>([](auto m, auto v) { return matmul(v, m); })(x, y)));
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: gradients of every item inside a function") {
    CHECK(sweep<"nm", 0>([](auto x) {
              constexpr auto one = [](auto r) { return sum(sin(r) * r); };
              return sum(square(ad::vmap<0>(ad::grad<0>(one))(x)));
          }, {.most = 8000}) == "");
}
TEST_CASE("sweep: losses of classes, with weights, ignored labels and smoothing") {
    CHECK(sweep<"nm,n<m,m", 0>(
              [](auto x, auto t, auto w) {
                  return ad::loss::cross_entropy(x, t) +
                         ad::loss::cross_entropy(x, t, ad::let(square(w) + 0.1), {.label_smoothing = 0.1}) * 0.5;
              },
              {.differences = false, .most = 20000}) == "");
}
