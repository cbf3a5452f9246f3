// SPDX-License-Identifier: MIT
// Element by element: broadcasting, masks, strided and 16-bit storage, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: broadcasting of rows, columns and numbers over three axes") {
    CHECK(sweep<"nm,m,n1,", 0, 1, 2, 3>([](auto x, auto r, auto c, auto s) { return sum(tanh(x * r + c) * s + r * c); },
                                        {.most = 20000}) == "");
    CHECK(sweep<"a1m,nm,", 0, 1, 2>([](auto x, auto y, auto s) { return sum(sin(x * y + s)); }, {.most = 20000}) == "");
}
TEST_CASE("sweep: masks and choices") {
    CHECK(sweep<"nm,nm?,m", 0, 2>([](auto x, auto m, auto w) {
              return sum(where(m && x > -0.5, exp(x) * w, square(x) - w)) + sum(ad::masked_fill(x * w, m, 0.5));
          }, {.differences = false, .most = 20000}) == "");
}
TEST_CASE("sweep: strided and reversed arrays") {
    CHECK(sweep<"nm^,nm~,m^", 0, 1, 2>(
              [](auto x, auto y, auto w) { return sum(tanh(x * y) * w) + sum(sum<1>(x) * sum<1>(y)); },
              {.most = 8000}) == "");
    CHECK(sweep<"n~,n^", 0, 1>([](auto x, auto y) { return sum(exp(x) * y) + sum(ad::flip<0>(x) * y); },
                               {.most = 8000}) == "");
}
TEST_CASE("sweep: numbers stored in 16 bits") {
    CHECK(sweep<"nmH,mB", 0, 1>([](auto x, auto b) { return sum(tanh(x * b)) + sum(square(sum<0>(x))) * 0.01; },
                                {.most = 8000}) == "");
    CHECK(sweep<"nkH,kmH", 0, 1>([](auto x, auto w) { return sum(sin(matmul(x, w))); }, {.most = 8000}) == "");
}
