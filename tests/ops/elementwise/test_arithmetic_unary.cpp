// SPDX-License-Identifier: MIT
// neg, abs, sign, square, reciprocal, affine and clamp against the reference; kinks.

#include <cmath>
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
TEMPLATE_TEST_CASE("reciprocal: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return reciprocal(x); }, "reciprocal");
}

TEMPLATE_TEST_CASE("affine, clamp: output and gradient are those of the reference", "", double, float) {
    using reference::run_with_parameters, reference::scalar_parameter;
    double const infinity = std::numeric_limits<double>::infinity();
    run_with_parameters<TestType>([](auto x, auto mul, auto add) { return affine(x, mul, add); }, "affine",
                                  scalar_parameter{"mul"}, scalar_parameter{"add"});
    run_with_parameters<TestType>([](auto x, auto lo, auto hi) { return clamp(x, lo, hi); }, "clamp",
                                  scalar_parameter{"lo", -infinity}, scalar_parameter{"hi", infinity});
}

TEST_CASE("clamp: the gradient passes at the bounds, and what is cut belongs to the bound that cuts") {
    using doubles = std::vector<double>;
    doubles const x{-2, -1, 0, 1, 2, 5};
    auto const [dx, dlo, dhi] =
        ad::grad<0, 1, 2>([](auto v, auto lo, auto hi) { return sum(clamp(v, lo, hi)); })(x, -1.0, 1.0);
    CHECK(dx == doubles{0, 1, 1, 1, 0, 0});
    CHECK(dlo == 1);
    CHECK(dhi == 2);
    auto const [above, above_bound] = ad::grad<0, 1>([](auto v, auto lo) { return sum(clamp_min(v, lo)); })(x, 1.0);
    CHECK(above == doubles{0, 0, 0, 1, 1, 1});
    CHECK(above_bound == 3);
    CHECK(ad::grad<0>([](auto v) { return sum(clamp_max(v, 1)); })(x) == doubles{1, 1, 1, 1, 0, 0});
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(ad::evaluate([](auto v) { return clamp(v, 0, 1); }, nan)));
}

TEST_CASE("abs: the gradient is exact on both sides and 0 at the kink") {
    std::vector<double> const x{-3, -0.0, 0.0, 0.5};
    CHECK(ad::grad<0>([](auto v) { return sum(abs(v)); })(x) == std::vector<double>{-1, 0, 0, 1});
}
