// SPDX-License-Identifier: MIT
// Gradients inside a traced function: they are part of its graph, and partial derivatives.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {
constexpr auto energy = [](auto x) { return sum(x * x * x) + sum(sin(x)) * sum(x); };
constexpr auto gradient_norm = [](auto x) { return sum(square(ad::grad<0>(energy)(x))); };
constexpr auto product = [](auto x, auto y) { return sum(x * x * y); };
constexpr auto fourth = [](auto v) { return v * v * v * v; };
constexpr auto fourth_1 = [](auto v) { return ad::grad<0>(fourth)(v); };
constexpr auto fourth_2 = [](auto v) { return ad::grad<0>(fourth_1)(v); };
constexpr auto fourth_3 = [](auto v) { return ad::grad<0>(fourth_2)(v); };
constexpr auto inner_loss = [](auto u, auto v) { return mean(square(u * v - 1.0)); };
constexpr auto after_a_step = [](auto w, auto rate, auto x) {
    auto moved = w - rate * ad::grad<0>(inner_loss)(w, x);
    return mean(square(moved * x - 1.0));
};
}  // namespace

TEST_CASE("nested grad: the gradient of a squared gradient norm agrees with central differences") {
    std::vector<double> const x{0.3, -0.4, 0.5, 0.9, -1.1};
    auto const report = ad::check_gradient<0>(gradient_norm, x);
    INFO("worst " << report.max_relative_error << " at " << report.worst_element);
    CHECK(report.passed);
    CHECK(report.checked == 5);
}

TEST_CASE("nested grad: the derivative is partial, another argument computed from the same value does not count") {
    auto const g = ad::evaluate([](auto x) { return ad::grad<0>(product)(x, 2.0 * x); }, std::vector<double>{1, 2, 3});
    CHECK(g == ad::tensor<double, 3>{4, 16, 36});  // 2 x y = 4 x^2, not 6 x^2
    auto const same = ad::evaluate([](auto x) { return ad::grad<0>(product)(x, x); }, std::vector<double>{1, 2, 3});
    CHECK(same == ad::tensor<double, 3>{2, 8, 18});
    auto const second = ad::evaluate([](auto x) { return ad::grad<1>(product)(x, x); }, std::vector<double>{1, 2, 3});
    CHECK(second == ad::tensor<double, 3>{1, 4, 9});
}

TEST_CASE("nested grad: the outer gradient flows through both arguments of the inner one") {
    // d/dx sum(2 x y) with y = 2 x is d/dx sum(4 x^2)
    auto const g =
        ad::grad<0>([](auto x) { return sum(ad::grad<0>(product)(x, 2.0 * x)); })(std::vector<double>{1, 2, 3});
    CHECK(g == std::vector<double>{8, 16, 24});
}

TEST_CASE("nested value_and_grad: gives both, and several gradients as a tuple") {
    auto const y = ad::evaluate(
        [](auto x, auto z) {
            auto [value, grads] = ad::value_and_grad<0, 1>(product)(x, z);
            auto [dx, dz] = grads;
            return value + sum(dx) + 100.0 * sum(dz);
        },
        std::vector<double>{1, 2}, std::vector<double>{3, 4});
    CHECK(y == (3 + 16) + (6 + 16) + 100 * (1 + 4));
}

TEST_CASE("nested grad: three times") {
    auto const g = ad::evaluate(fourth_3, 1.5);
    CHECK(std::abs(g - 36) < 1e-12);
}

TEST_CASE("nested grad: an inner gradient descent step is differentiated through") {
    auto const report = ad::check_gradient<0, 1>(after_a_step, 0.7, 0.1, std::vector<double>{0.5, 1.5, -0.3});
    CHECK(report.passed);
    CHECK(report.checked == 2);
}
