// SPDX-License-Identifier: MIT
// neg, abs, sign, square, 1/x and mul * x + add against the reference; kinks.

#include <limits>

#include "ops/reference_cases.hpp"

namespace ad = tapeless;
using reference::run_unary;

TEMPLATE_TEST_CASE("neg: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return -x; }, "neg");
}
TEMPLATE_TEST_CASE("abs: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return abs(x); }, "abs");
}
TEMPLATE_TEST_CASE("sign: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return sign(x); }, "sign");
}
TEMPLATE_TEST_CASE("square: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return square(x); }, "square");
}
TEMPLATE_TEST_CASE("1/x: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return 1.0 / x; }, "reciprocal");
}

namespace {
template <int Mul10, int Add>
struct affine {
    static bool fits(reference::test_case const& c) { return c.number("mul") == Mul10 / 10.0 && c.number("add") == Add; }
    constexpr auto operator()(auto x) const { return Mul10 / 10.0 * x + Add; }
};
}  // namespace

TEST_CASE("mul * x + add: output and gradient are those of the reference") {
    using first = affine<25, -1>;
    using second = affine<-3, 0>;
    CHECK(reference::run_unary_if<double>(first{}, "unary", "affine", first::fits) +
              reference::run_unary_if<double>(second{}, "unary", "affine", second::fits) ==
          reference::count_in_file("unary", "affine"));
    CHECK(reference::run_unary_if<float>(first{}, "unary", "affine", first::fits) ==
          reference::count_in_file("unary_f32", "affine"));
}

TEST_CASE("abs: the gradient is exact on both sides and 0 at the kink") {
    std::vector<double> const x{-3, -0.0, 0.0, 0.5};
    CHECK(ad::grad<0>([](auto v) { return sum(abs(v)); })(x) == std::vector<double>{-1, 0, 0, 1});
}
