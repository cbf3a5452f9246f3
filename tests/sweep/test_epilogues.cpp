// SPDX-License-Identifier: MIT
// Products with what follows them in their write-back: activations, row and column reductions, and products of the result.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: a product, transposed on either side") {
    CHECK(sweep<"nk,km", 0, 1>([](auto x, auto w) { return sum(square(matmul(x, w))); }, {.most = 20000}) == "");
    CHECK(sweep<"kn,mk", 0, 1>([](auto x, auto w) { return sum(square(matmul(transpose(x), transpose(w)))); }, {.most = 20000}) == "");
    CHECK(sweep<"nk,mk,m", 0, 1, 2>([](auto x, auto w, auto b) { return sum(ad::relu(linear(x, w, b))); }, {.differences = false, .most = 20000}) == "");
}
TEST_CASE("sweep: row reductions, column sums and a stored array behind one product") {
    CHECK(sweep<"nk,km,m", 0, 1, 2>([](auto x, auto w, auto b) {
              auto const y = ad::let(matmul(x, w) + b);
              return std::tuple(sum(logsumexp<1>(ad::concat<1>(y, y))) + sum(tanh(sum<0>(y))), y, sum<1>(y * y));
          }, {.most = 10000}) == "");
}
TEST_CASE("sweep: a perceptron of three layers") {
    CHECK(sweep<"nk,kh,h,hm,m", 0, 1, 2, 3, 4>([](auto x, auto w1, auto b1, auto w2, auto b2) {
              return mean(square(matmul(tanh(matmul(x, w1) + b1), w2) + b2) + 0.0 * sum(b2));
          }, {.differences = false, .most = 8000, .longest = 1026}) == "");
}
TEST_CASE("sweep: batches of products, one factor shared by all") {
    CHECK(sweep<"ank,km,m", 0, 1, 2>([](auto x, auto w, auto s) { return sum(tanh(matmul(x, w)) * s); }, {.most = 20000}) == "");
    CHECK(sweep<"ank,akm,m", 0, 1, 2>([](auto x, auto y, auto s) { return sum(matmul(sin(x), y) * s); }, {.most = 20000}) == "");
}
TEST_CASE("sweep: vectors and matrices, outer and inner products") {
    CHECK(sweep<"n,nm,m", 0, 1, 2>([](auto a, auto x, auto b) { return ad::dot(matmul(a, x), b) + sum(sin(ad::outer(a, b))) + sum(square(matmul(x, b))); }) == "");
}
TEST_CASE("sweep: einsum over several axes") {
    CHECK(sweep<"abn,nbc", 0, 1>([](auto x, auto y) { return sum(square(ad::einsum<"abn,nbc->ac">(x, y))); }, {.most = 20000}) == "");
    CHECK(sweep<"abn,abm", 0, 1>([](auto x, auto y) { return sum(tanh(ad::einsum<"abn,abm->bnm">(x, y) * 0.2)); }, {.most = 20000}) == "");
    CHECK(sweep<"nii,i", 0, 1>([](auto x, auto y) { return sum(sin(ad::einsum<"nii,i->n">(x, y))); }, {.most = 20000, .longest = 130}) == "");
}
TEST_CASE("sweep: products of fixed sizes beside those of any") {
    CHECK(sweep<"n3,35,5", 0, 1, 2>([](auto x, auto w, auto b) { return sum(tanh(matmul(x, w) + b)); }) == "");
    CHECK(sweep<"3k,k7", 0, 1>([](auto x, auto w) { return sum(square(matmul(x, w))); }) == "");
    CHECK(sweep<"n(33),(33)(17)", 0, 1>([](auto x, auto w) { return sum(square(matmul(x, w)) * 0.1); }) == "");
}
TEST_CASE("sweep: products of strided and reversed operands") {
    CHECK(sweep<"nk^,km~", 0, 1>([](auto x, auto w) { return sum(square(matmul(x, w)) + 0.0); }, {.most = 8000}) == "");
    CHECK(sweep<"nk~,mk^,m^", 0, 1, 2>([](auto x, auto w, auto b) { return sum(sin(linear(x, w, b))); }, {.most = 8000}) == "");
}
