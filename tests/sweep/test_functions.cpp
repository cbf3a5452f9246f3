// SPDX-License-Identifier: MIT
// Whole numbers, every elementwise function, losses, and more steps than a kernel takes, at all lengths.

#include <tuple>

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: whole numbers and casts") {
    CHECK(sweep<"nm,nm<7", 0>([](auto x, auto k) {
              auto const whole = k * k - 3 * k + 2;
              return sum(where(whole > 2, x, x * x)) + sum(where(k / 2 == 1, x, 0.5 * x));
          }, {.differences = false, .most = 8000}) == "");
}
TEST_CASE("sweep: more steps than one kernel takes") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) {
              auto y = ad::let(x);
              for (int i = 0; i < 24; ++i) y = ad::let(tanh(y * w + 0.1 * x) + 0.05 * sin(y));
              return sum(y);
          }, {.differences = false, .most = 3000, .longest = 300}) == "");
}
TEST_CASE("sweep: every elementwise function, in one sum") {
    CHECK(sweep<"n", 0>([](auto x) {
              auto const p = ad::let(square(x) + 0.5);
              auto const a =
                  ad::let(exp(x) + log(p) + sqrt(p) + ad::rsqrt(p) + tanh(x) + sin(x) + cos(x) + atan(x) + sinh(x));
              auto const b = ad::let(ad::log1p(p) + ad::expm1(x) + erf(x) + ad::sigmoid(x) + ad::softplus(x) +
                                     ad::logsigmoid(x) + ad::reciprocal(p));
              auto const c = ad::let(ad::gelu(x) + ad::silu(x) + ad::mish(x) + ad::softsign(x) + ad::elu(x) +
                                     ad::selu(x) + asinh(x) + pow(p, x));
              return sum(a * 0.1) + sum(b * c * 0.01);
          }, {.differences = false}) == "");
}
TEST_CASE("sweep: functions of a line, several batches of them side by side") {
    CHECK(sweep<"n,n^", 0, 1>([](auto x, auto y) {
              return std::tuple(sum(tanh(x) * y), exp(x) * y, log(square(y) + 0.5), ad::log_softmax<0>(x - y));
          }, {.differences = false}) == "");
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto y) {
              return std::tuple(sum(square(tanh(x + y))), erf(x) * y, log(square(x) + 0.5));
          }, {.differences = false, .most = 20000}) == "");
    CHECK(sweep<"n,n", 0, 1>([](auto x, auto y) {  // what is the same for all of a line is stored along it
              return std::tuple(sum(tanh(x) * y), exp(x), ad::full_like(x, 3.0), ad::ones_like(y) * tanh(0.1 * sum(y)));
          }, {.differences = false}) == "");
    CHECK(sweep<"n(70),(70)", 0>([](auto x, auto y) {
              return std::tuple(sum(logsumexp<1>(x * y)), ad::softmax<1>(x));
          }, {.differences = false, .most = 20000}) == "");
}
TEST_CASE("sweep: a regression of every kind of loss") {
    CHECK(sweep<"nm,nm", 0>([](auto x, auto t) {
              return ad::loss::mse(x, t) + ad::loss::huber(x, t) + ad::loss::smooth_l1(x, t);
          }, {.differences = false, .most = 20000}) == "");
}
