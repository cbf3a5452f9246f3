// SPDX-License-Identifier: MIT
// Loops whose steps hold products of their items alone, at all numbers of steps.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: a cell of one vector, and items that are strided") {
    CHECK(
        sweep<"67,77,7,7,t6^", 0, 1, 2, 3, 4>(
            [](auto w, auto u, auto b, auto start, auto xs) {
                return sum(square(ad::fold(
                    [&](auto h, auto x) { return ad::let(tanh(matmul(x, w) + b + 0.3 * matmul(h, u))); }, start, xs)));
            },
            {.most = 6000, .longest = 130}) == "");
}
TEST_CASE("sweep: gates of a cell of few rows, whose bias comes last and whose states are stacked") {
    CHECK(sweep<"6(12),4(12),(12),34,t36", 0, 1, 2, 3, 4>(
              [](auto w, auto u, auto b, auto start, auto xs) {
                  auto const step = [&](auto h, auto x) {
                      auto const [i, f, o] = ad::split<1, 4, 4, 4>(ad::let(matmul(x, w) + matmul(h, u) + b));
                      auto const n = ad::let(sigmoid(f) * h + sigmoid(i) * tanh(o));
                      return std::pair(n, n * o);
                  };
                  auto const [last, all] = ad::scan(step, start, xs);
                  return sum(square(last)) + sum(square(all));
              },
              {.most = 6000, .longest = 70}) == "");
}
TEST_CASE("sweep: products of products, of functions of items, and values that others need as well") {
    CHECK(sweep<"67,77,7,t6,t6", 0, 1, 2, 3, 4>(
              [](auto w, auto u, auto start, auto xs, auto ys) {
                  auto const step = [&](auto h, auto x, auto y) {
                      auto const a = ad::let(relu(matmul(exp(0.2 * x) - y, w)));
                      auto const d = ad::let(matmul(u, a) + a);
                      return ad::let(0.5 * sin(h + 0.1 * d) + 0.5 * d + 0.1 * matmul(a, u) * sum(x));
                  };
                  return sum(square(ad::fold(step, start, xs, ys)));
              },
              {.most = 6000, .longest = 70}) == "");
}
TEST_CASE("sweep: products that are only stacked, of carries before and after the step and of other values") {
    CHECK(sweep<"67,77,7,7,t6", 0, 1, 2, 3, 4>(
              [](auto w, auto u, auto b, auto start, auto xs) {
                  auto const step = [&](auto h, auto x) {
                      auto const n = ad::let(tanh(matmul(x, w) + 0.3 * matmul(h, u)));
                      auto const after = ad::let(sin(matmul(n, u) + b)), before = ad::let(matmul(u, h) * b);
                      return std::pair(n, std::tuple(after, before, matmul(n * h, u), n * b, matmul(x, w) + b));
                  };
                  auto const [last, all] = ad::scan(step, start, xs);
                  auto const [p, q, r, s, t] = all;
                  return sum(square(last)) + sum(square(p)) + sum(q * p) + sum(square(r)) + sum(s * t);
              },
              {.most = 6000, .longest = 70}) == "");
}
