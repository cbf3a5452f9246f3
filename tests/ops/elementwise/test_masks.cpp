// SPDX-License-Identifier: MIT
// Masks: masked_fill of the reference, comparisons and logic, and branches of where that are not taken.

#include <cmath>
#include <limits>

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {

double const not_a_number = std::numeric_limits<double>::quiet_NaN();

template <int Value10>
constexpr auto filled = [](auto x, auto mask, auto cot) { return sum(masked_fill(x, mask, Value10 / 10.0) * cot); };

template <class T, class X, class Mask, int Value10>
bool run_fill(test_case const& c) {
    if (!X::matches(c.in("x").shape) || !Mask::matches(c.in("mask").shape) || c.number("value") != Value10 / 10.0)
        return false;
    auto const [dx, out] = ad::grad<0, 2>(filled<Value10>)(
        X::template make<T>(c.in("x")), Mask::template make<bool>(c.in("mask")), X::template make<T>(c.cot()));
    CHECK(check_close(c.out(), out, c, "out") == "");
    CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
    return true;
}

}  // namespace

TEST_CASE("masked_fill: has the reference's output and gradient") {
    std::size_t n = 0;
    for (test_case const& c : cases("select", "masked_fill"))
        n += run_fill<double, matrix, matrix, -75>(c) || run_fill<double, cube, cube, -75>(c) ||
             run_fill<double, matrix, vector, -10>(c);
    CHECK(n == count_in_file("select", "masked_fill"));
    std::size_t m = 0;
    for (test_case const& c : cases("select_f32", "masked_fill")) m += run_fill<float, matrix, matrix, -75>(c);
    CHECK(m == count_in_file("select_f32", "masked_fill"));
}

TEST_CASE("where: NaN or infinity in the branch not taken never reaches a gradient") {
    std::vector<double> const x{-2, -0.0, 0.0, 4, -1};
    auto const [y, g] = ad::value_and_grad<0>([](auto v) { return sum(where(v > 0.0, log(v), 0.0)); })(x);
    CHECK(y == std::log(4.0));
    CHECK(g == std::vector<double>{0, 0, 0, 0.25, 0});
    CHECK(ad::grad<0>([](auto v) { return sum(where(v > 0.0, sqrt(v), 3.0 * v)); })(x) ==
          std::vector<double>{3, 3, 3, 0.25, 3});
    CHECK(ad::grad<0>([](auto v) { return sum(where(v <= 0.0, 0.0, 1.0 / v)); })(x) ==
          std::vector<double>{0, 0, 0, -0.0625, 0});
}

TEST_CASE("where: also inside a longer chain, and through a shared broken value") {
    // log(v) is used in both: only the taken use counts
    auto f = [](auto v) {
        auto l = ad::let(log(v));
        return sum(where(v > 0.0, l * l, v) + where(v > 1.0, l, 0.0));
    };
    auto const g = ad::grad<0>(f)(std::vector<double>{-1, 0.5, 2});
    CHECK(g[0] == 1);
    CHECK(g[1] == 2 * std::log(0.5) / 0.5);
    CHECK(std::abs(g[2] - (std::log(2.0) + 0.5)) < 1e-15);
}

TEST_CASE("masks: comparisons with NaN are false except !=, and logic combines them") {
    std::vector<double> const a{1, 2, 3, not_a_number, 2}, b{2, 2, 2, 2, not_a_number};
    auto as_numbers = [](auto x, auto y) {
        auto one = [](auto mask, double weight) { return weight * tapeless::cast<double>(mask); };
        return one(x < y, 1) + one(x <= y, 2) + one(x > y, 4) + one(x >= y, 8) + one(x == y, 16) + one(x != y, 32) +
               one(x < y || x > y, 64) + one(x <= y && x >= y, 128) + one(!(x < y), 256);
    };
    auto const y = ad::evaluate(as_numbers, a, b);
    CHECK(y(0) == 1 + 2 + 32 + 64);
    CHECK(y(1) == 2 + 8 + 16 + 128 + 256);
    CHECK(y(2) == 4 + 8 + 32 + 64 + 256);
    CHECK(y(3) == 32 + 256);
    CHECK(y(4) == 32 + 256);
}

TEST_CASE("masks: isnan, isinf, isfinite tell the three kinds of numbers apart, and every integer is finite") {
    double const infinity = std::numeric_limits<double>::infinity();
    auto const kind = [](auto x) { return where(isnan(x), 1, where(isinf(x), 2, where(isfinite(x), 4, x))); };
    std::vector<double> const x{not_a_number, infinity, -infinity, 0, std::numeric_limits<double>::max(), -5e-324, 1};
    CHECK(ad::evaluate(kind, x) == ad::tensor<double, ad::dyn>{1, 2, 2, 4, 4, 4, 4});
    std::vector<float> const y{std::numeric_limits<float>::max(), -std::numeric_limits<float>::infinity(), 0, 1, 2};
    CHECK(ad::evaluate(kind, y) == ad::tensor<float, ad::dyn>{4, 2, 4, 4, 4});
    CHECK(ad::evaluate(kind, ad::tensor<std::int32_t, 3>{0, -1, 7}) == ad::tensor<std::int32_t, 3>{4, 4, 4});
}

TEST_CASE("masks: in float the comparisons are the same") {
    std::vector<float> const a{1, 2, 3, std::numeric_limits<float>::quiet_NaN(), 2, 5, 1}, b{2, 2, 2, 2, 2, 2, 2};
    auto const y = ad::evaluate(
        [](auto x, auto z) { return where(x < z, 1.0, where(x == z, 2.0, where(x != x, 3.0, 0.0 * z))); }, a, b);
    CHECK(y(0) == 1);
    CHECK(y(1) == 2);
    CHECK(y(2) == 0);
    CHECK(y(3) == 3);
    CHECK(y(4) == 2);
    CHECK(y(5) == 0);
    CHECK(y(6) == 1);
}
