// SPDX-License-Identifier: MIT
// Batches of products, vectors among them, and einsum, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: batches of products, one factor shared by all") {
    CHECK(sweep<"ank,km,m", 0, 1, 2>([](auto x, auto w, auto s) { return sum(tanh(matmul(x, w)) * s); },
                                     {.most = 20000}) == "");
    CHECK(sweep<"ank,akm,m", 0, 1, 2>([](auto x, auto y, auto s) { return sum(matmul(sin(x), y) * s); },
                                      {.most = 20000}) == "");
}
TEST_CASE("sweep: vectors and matrices, outer and inner products") {
    CHECK(sweep<"n,nm,m", 0, 1, 2>([](auto a, auto x, auto b) {
              return ad::dot(matmul(a, x), b) + sum(sin(ad::outer(a, b))) + sum(square(matmul(x, b)));
          }) == "");
}
TEST_CASE("sweep: einsum over several axes") {
    CHECK(sweep<"abn,nbc", 0, 1>([](auto x, auto y) { return sum(square(ad::einsum<"abn,nbc->ac">(x, y))); },
                                 {.most = 20000}) == "");
    CHECK(sweep<"abn,abm", 0, 1>([](auto x, auto y) { return sum(tanh(ad::einsum<"abn,abm->bnm">(x, y) * 0.2)); },
                                 {.most = 20000}) == "");
    CHECK(sweep<"nii,i", 0, 1>([](auto x, auto y) { return sum(sin(ad::einsum<"nii,i->n">(x, y))); },
                               {.most = 20000, .longest = 130}) == "");
}
