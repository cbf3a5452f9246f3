// SPDX-License-Identifier: MIT
// Products that are needed under other axes, alone or as part of what is computed element by element, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

#include <string>

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: functions of products with their batch as the last axis") {
    CHECK(
        sweep<"ank,km,m,nma", 0, 1, 2, 3>(
            [](auto x, auto w, auto r, auto y) { return sum(ad::permute<1, 2, 0>(tanh(0.5 * matmul(x, w) + r)) * y); },
            {.most = 4000}) == "");
    CHECK(sweep<"ak3,nk,n1,n3a", 0, 1, 2, 3>(
              [](auto x, auto w, auto c, auto y) { return sum(square(ad::permute<1, 2, 0>(c * matmul(w, x)) - y)); },
              {.most = 4000}) == "");
}
TEST_CASE("sweep: choices and differences of products under other axes") {
    CHECK(sweep<"ank,akm,anm?,anm,nam", 0, 1, 3, 4>(
              [](auto x, auto w, auto m, auto z, auto y) {
                  return sum(ad::permute<1, 0, 2>(where(m, matmul(x, w), z) - 2.0 * matmul(sin(x), w)) * y);
              },
              {.differences = false, .most = 2000}) == "");
}
TEST_CASE("products of all directions: the columns are the directions") {
    constexpr auto f = [](auto p, auto basis, auto from) {
        return square(matmul(basis, sin(ad::reshape<9, 3>(matmul(from, p)))));
    };
    ad::tensor<double, 26> const p{};
    ad::tensor<double, 40, 9> const basis{};
    ad::tensor<double, 27, 26> const from{};
    std::string const plan = ad::explain(ad::jacobian<0>(f), p, basis, from);
    CHECK(plan.find("product  3 times (40 x 9) x (9 x 26)") != std::string::npos);
}
