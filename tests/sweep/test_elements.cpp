// SPDX-License-Identifier: MIT
// Element by element: broadcasting, masks, strided and 16-bit storage, large programs that are cut, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: broadcasting of rows, columns and numbers over three axes") {
    CHECK(sweep<"nm,m,n1,", 0, 1, 2, 3>([](auto x, auto r, auto c, auto s) { return sum(tanh(x * r + c) * s + r * c); }, {.most = 20000}) == "");
    CHECK(sweep<"a1m,nm,", 0, 1, 2>([](auto x, auto y, auto s) { return sum(sin(x * y + s)); }, {.most = 20000}) == "");
}
TEST_CASE("sweep: masks and choices") {
    CHECK(sweep<"nm,nm?,m", 0, 2>([](auto x, auto m, auto w) {
              return sum(where(m && x > -0.5, exp(x) * w, square(x) - w)) + sum(ad::masked_fill(x * w, m, 0.5));
          }, {.differences = false, .most = 20000}) == "");
}
TEST_CASE("sweep: strided and reversed arrays") {
    CHECK(sweep<"nm^,nm~,m^", 0, 1, 2>([](auto x, auto y, auto w) { return sum(tanh(x * y) * w) + sum(sum<1>(x) * sum<1>(y)); }, {.most = 8000}) == "");
    CHECK(sweep<"n~,n^", 0, 1>([](auto x, auto y) { return sum(exp(x) * y) + sum(ad::flip<0>(x) * y); }, {.most = 8000}) == "");
}
TEST_CASE("sweep: numbers stored in 16 bits") {
    CHECK(sweep<"nmH,mB", 0, 1>([](auto x, auto b) { return sum(tanh(x * b)) + sum(square(sum<0>(x))) * 0.01; }, {.most = 8000}) == "");
    CHECK(sweep<"nkH,kmH", 0, 1>([](auto x, auto w) { return sum(sin(matmul(x, w))); }, {.most = 8000}) == "");
}
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
              auto const a = ad::let(exp(x) + log(p) + sqrt(p) + ad::rsqrt(p) + tanh(x) + sin(x) + cos(x) + atan(x) + sinh(x));
              auto const b = ad::let(ad::log1p(p) + ad::expm1(x) + erf(x) + ad::sigmoid(x) + ad::softplus(x) + ad::logsigmoid(x) + ad::reciprocal(p));
              auto const c = ad::let(ad::gelu(x) + ad::silu(x) + ad::mish(x) + ad::softsign(x) + ad::elu(x) + ad::selu(x) + asinh(x) + pow(p, x));
              return sum(a * 0.1) + sum(b * c * 0.01);
          }, {.differences = false}) == "");
}
TEST_CASE("sweep: a regression of every kind of loss") {
    CHECK(sweep<"nm,nm", 0>([](auto x, auto t) {
              return ad::loss::mse(x, t) + ad::loss::huber(x, t) + ad::loss::smooth_l1(x, t);
          }, {.differences = false, .most = 20000}) == "");
}
