// SPDX-License-Identifier: MIT
// relu and sigmoid against the reference, at the kink, and far out.

#include <cmath>
#include <limits>

#include "ops/reference_cases.hpp"

namespace ad = tapeless;
using reference::run_unary;

TEMPLATE_TEST_CASE("relu: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return relu(x); }, "relu");
}
TEMPLATE_TEST_CASE("sigmoid: output and gradient are those of the reference", "", double, float) {
    run_unary<TestType>([](auto x) { return sigmoid(x); }, "sigmoid");
}

TEST_CASE("relu: the gradient at 0 and at -0 is 0, and NaN stays") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> const x{-1, -0.0, 0.0, 2, nan};
    auto const [y, g] = ad::value_and_grad<0>([](auto v) { return sum(relu(v)); })(std::vector<double>{-1, -0.0, 0.0, 2});
    CHECK(y == 2);
    CHECK(g == std::vector<double>{0, 0, 0, 1});
    auto const out = ad::evaluate([](auto v) { return relu(v); }, x);
    CHECK(out(3) == 2);
    CHECK(std::isnan(out(4)));
}

TEST_CASE("sigmoid: is stable at +-1e4") {
    std::vector<float> const x{-1e4f, -100, 0, 100, 1e4f};
    auto const [y, g] = ad::value_and_grad<0>([](auto v) { return sum(sigmoid(v)); })(x);
    CHECK(y == 2.5f);
    CHECK(g[0] == 0);
    CHECK(g[2] == 0.25f);
    CHECK(g[4] == 0);
}
