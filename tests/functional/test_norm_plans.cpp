// SPDX-License-Identifier: MIT
// batch_norm and group_norm in shapes that are known before: exact small cases, central differences and plans.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <tuple>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {
constexpr auto trained = [](auto p, auto m, auto v) {
    auto const& [x, g, b] = p;
    auto const n = batch_norm_training(x, m, v, g, b, {.momentum = 0.5});
    return std::tuple(sum(sin(n.out)), n.mean, n.var);
};
constexpr auto grouped = [](auto p) {
    auto const& [x, g, b] = p;
    return sum(sin(group_norm<2>(x, g, b)));
};
}  // namespace

TEST_CASE("batch_norm: running statistics move half way, the variance with the divisor n - 1, without a gradient") {
    ad::tensor<double, 3, 2> const x{{1, 0.5}, {2, -0.25}, {6, 0.75}};
    ad::tensor<double, 2> const mean{1, 2}, var{1, 3}, gain{0.7, -1.2}, bias{0.1, 0.3};
    auto const parameters = std::tuple(x, gain, bias);
    auto const [value, gradients] = ad::value_and_grad<0>(trained)(parameters, mean, var);
    auto const& dx = std::get<0>(gradients);
    auto const& [loss, m, v] = value;
    CHECK(std::abs(m(0) - 2) < 1e-15);
    CHECK(std::abs(v(0) - 4) < 1e-15);  // (1 + 7) / 2
    CHECK(std::abs(m(1) - (1 + 1.0 / 6)) < 1e-15);
    CHECK(std::abs(dx(0, 0) + dx(1, 0) + dx(2, 0)) < 1e-15);  // moving a whole channel changes nothing
    CHECK(ad::check_gradient<0>(trained, parameters, mean, var));
    CHECK(ad::grad<1>(trained)(parameters, mean, var) == ad::tensor<double, 2>{0, 0});
}

TEST_CASE("group_norm: central differences, and every group has mean 0 and variance 1") {
    ad::tensor<double, 2, 4, 3> x;
    double next = 0.3;
    for (auto& v : x) v = std::sin(next += 1.7);
    ad::tensor<double, 4> const gain{1, 0.5, -0.8, 1.3}, bias{0.2, 0, -0.1, 0.4};
    CHECK(ad::check_gradient<0>(grouped, std::tuple(x, gain, bias)));
    auto const [y, of_matrix] = ad::evaluate(
        [](auto v) { return std::tuple(group_norm<2>(v, 0.0), group_norm<2>(reshape<2, 12>(v), 0.0)); }, x);
    static_assert(std::is_same_v<std::remove_const_t<decltype(y)>, ad::tensor<double, 2, 4, 3>>);
    for (std::size_t group = 0; group < 4; ++group) {
        double total = 0, squares = 0;
        for (std::size_t i = 0; i < 6; ++i) {
            double const v = y.data()[group * 6 + i];
            CHECK(std::abs(v - of_matrix.data()[group * 6 + i]) < 1e-14);
            total += v;
            squares += v * v;
        }
        CHECK(std::abs(total) < 1e-14);
        CHECK(std::abs(squares - 6) < 1e-13);
    }
}

TEST_CASE("batch_norm, group_norm: no array of the size of x is stored") {
    using images = ad::tensor<float, 8, 16, 100>;
    using channels = ad::tensor<float, 16>;
    constexpr auto loss = [](auto x, auto m, auto v, auto g, auto b, auto c) {
        auto const n = batch_norm_training(x, m, v, g, b);
        return std::tuple(sum(n.out * c), n.mean, n.var);
    };
    constexpr auto batch =
        decltype(ad::value_and_grad<0, 3, 4>(loss))::plan<images, channels, channels, channels, channels, images>();
    STATIC_REQUIRE(batch.passes_over<8, 16, 100>() == 3);  // the mean; the variance and a sum; the result
    STATIC_REQUIRE(batch.workspace_bytes() < 8 * 16 * 100 * 4 / 8);
    constexpr auto value = decltype(ad::fused(
        [](auto x, auto g, auto b) { return group_norm<2>(x, g, b); }))::plan<images, channels, channels>();
    STATIC_REQUIRE(value.workspace_bytes() < 8 * 16 * 100 * 4 / 8);
}
