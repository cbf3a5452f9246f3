// SPDX-License-Identifier: MIT
// Rounding and division with a whole quotient: the reference, exact quotients, and integers.

#include <cmath>
#include <limits>

#include "ops/binary_patterns.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("floor, ceil, round, trunc: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return floor(x); }, "floor");
    run_unary<TestType>([](auto x) { return ceil(x); }, "ceil");
    run_unary<TestType>([](auto x) { return round(x); }, "round");
    run_unary<TestType>([](auto x) { return trunc(x); }, "trunc");
}
TEMPLATE_TEST_CASE("floor_div, fmod, remainder: output and gradients are those of the reference", "", double, float) {
    run_binary<TestType, merged_or_stretched>([](auto a, auto b) { return floor_div(a, b); }, "floor_div");
    run_binary<TestType, merged_or_stretched>([](auto a, auto b) { return fmod(a, b); }, "fmod");
    run_binary<TestType, merged_or_stretched>([](auto a, auto b) { return remainder(a, b); }, "remainder");
}

TEST_CASE("fmod, remainder: value and gradient belong to the same quotient where a / b rounds up to a whole number") {
    // 1 - 2^-53 over 1/3 is a little less than 3, and rounds to 3
    double const a = 1 - 0x1p-53, b = 1.0 / 3 * (1 - 0x1p-52);
    auto const [y, db] = ad::value_and_grad<1>([](auto u, auto v) { return fmod(u, v); })(a, b);
    CHECK(y == std::fmod(a, b));
    CHECK(std::abs((a - y) / b + db) < 1e-15);
    CHECK(-db == std::nearbyint((a - y) / b));
    auto const dr = ad::grad<1>([](auto u, auto v) { return remainder(u, v); })(-7.0, 2.0);
    CHECK(dr == 4);
}

namespace {
template <class T>
constexpr auto integer_divisions = [](auto a, auto b) {
    return a / b + 1000 * floor_div(a, b) + 100000 * fmod(a, b) + 10000000 * remainder(a, b);
};
}  // namespace

TEMPLATE_TEST_CASE("integers: / floor_div fmod remainder have their signs, and a divisor 0 gives 0, 0, a, a", "",
                   std::int32_t, std::int64_t) {
    ad::tensor<TestType, 9> const a{7, -7, 7, -7, 6, 0, 5, -5, 9}, b{2, 2, -2, -2, -3, 4, 0, 0, -1};
    auto const y = ad::evaluate(integer_divisions<TestType>, a, b);
    auto const coded = [](int quotient, int floored, int rest, int modulo) {
        return static_cast<TestType>(quotient + 1000 * floored + 100000 * rest + 10000000 * modulo);
    };
    CHECK(y == ad::tensor<TestType, 9>{coded(3, 3, 1, 1), coded(-3, -4, -1, 1), coded(-3, -4, 1, -1),
                                       coded(3, 3, -1, -1), coded(-2, -2, 0, 0), coded(0, 0, 0, 0), coded(0, 0, 5, 5),
                                       coded(0, 0, -5, -5), coded(-9, -9, 0, 0)});
}
TEST_CASE("integers: the smallest number over -1 does not trap") {
    constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
    ad::tensor<std::int32_t, 5> const a{lowest, lowest, 8, 9, lowest}, b{-1, 1, -1, 4, -1};
    CHECK(ad::evaluate([](auto x, auto y) { return fmod(x, y); }, a, b) == ad::tensor<std::int32_t, 5>{0, 0, 0, 1, 0});
}
