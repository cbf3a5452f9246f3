// SPDX-License-Identifier: MIT
// Letters that an operand of einsum has twice: its diagonals, against plain loops.

#include <limits>

#include "ops/contract/einsum_cases.hpp"

using namespace reference;

TEST_CASE("einsum: diagonals are found among any other axes") {
    check_einsum<"iij->ij", 2, 3>({{{5, 5, 3}, 0.1}});
    check_einsum<"iji->j", 1, 3>({{{4, 9, 4}, 0.2}});
    check_einsum<"iji->j", 1, 3>({{{0, 9, 0}, 0.2}});
    check_einsum<"aibi->bia", 3, 4>({{{2, 5, 3, 5}, 0.3}});
    check_einsum<"iii->i", 1, 3>({{{6, 6, 6}, 0.4}});
    check_einsum<"jiji->ij", 2, 4>({{{4, 3, 4, 3}, 0.5}});
}

TEST_CASE("einsum: a diagonal of any length, also of a product's operand") {
    for (std::int64_t n : {0, 1, 2, 3, 4, 5, 8, 9, 17, 33}) {
        check_einsum<"ii->i", 1, 2>({{{n, n}, 0.1}});
        check_einsum<"ii,ij->j", 1, 2, 2>({{{n, n}, 0.1}, {{n, 3}, 0.2}});
    }
    check_einsum<"iij,jk->ik", 2, 3, 2>({{{4, 4, 5}, 0.1}, {{5, 6}, 0.2}});
}

TEST_CASE("einsum: what is off the diagonal is never looked at") {
    double const nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    ad::tensor<double, ad::dyn, ad::dyn> x(11, 11);
    for (std::size_t i = 0; i < 11; ++i)
        for (std::size_t j = 0; j < 11; ++j) x(i, j) = i == j ? static_cast<double>(i) : (i + j) % 2 ? nan : inf;
    CHECK(ad::evaluate([](auto a) { return einsum<"ii->">(a); }, x) == 55);
    auto const d = ad::evaluate([](auto a) { return einsum<"ii->i">(a); }, x);
    auto const g = ad::grad<0>([](auto a) { return sum(square(einsum<"ii->i">(a))); })(x);
    for (std::size_t i = 0; i < 11; ++i) {
        CHECK(d(i) == static_cast<double>(i));
        for (std::size_t j = 0; j < 11; ++j) CHECK(g(i, j) == (i == j ? 2 * static_cast<double>(i) : 0));
    }
}
