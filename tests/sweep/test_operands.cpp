// SPDX-License-Identifier: MIT
// Products of fixed sizes, and of strided and reversed operands, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: products of fixed sizes beside those of any") {
    CHECK(sweep<"n3,35,5", 0, 1, 2>([](auto x, auto w, auto b) { return sum(tanh(matmul(x, w) + b)); }) == "");
    CHECK(sweep<"3k,k7", 0, 1>([](auto x, auto w) { return sum(square(matmul(x, w))); }) == "");
    CHECK(sweep<"n(33),(33)(17)", 0, 1>([](auto x, auto w) { return sum(square(matmul(x, w)) * 0.1); }) == "");
}
TEST_CASE("sweep: products of strided and reversed operands") {
    CHECK(sweep<"nk^,km~", 0, 1>([](auto x, auto w) { return sum(square(matmul(x, w)) + 0.0); }, {.most = 8000}) == "");
    CHECK(sweep<"nk~,mk^,m^", 0, 1, 2>([](auto x, auto w, auto b) { return sum(sin(linear(x, w, b))); },
                                       {.most = 8000}) == "");
}
