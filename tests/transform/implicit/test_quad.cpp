// SPDX-License-Identifier: MIT
// quad beside known integrals: values, derivatives by arguments and bounds, many at once.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <tuple>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr double pi = 3.14159265358979323846;

constexpr auto bell = [](auto a, auto b, auto k) {
    return ad::quad([](auto x, auto c) { return exp(-c * x * x); }, a, b, k);
};
/// A cusp inside: the pieces become small around it.
constexpr auto cusp = [](auto a, auto b) {
    return ad::quad([](auto x) { return sqrt(abs(x)); }, a, b, {.rtol = 1e-8});
};
double cusp_integral(double a, double b) {
    auto const to = [](double x) { return std::copysign(std::pow(std::abs(x), 1.5) * 2 / 3, x); };
    return to(b) - to(a);
}
constexpr auto pole = [](auto a) { return ad::quad([](auto x) { return 1.0 / x; }, a, 1.0); };
constexpr auto quiet_pole = [](auto a) { return ad::quad([](auto x) { return 1.0 / x; }, a, 1.0, {.quiet = true}); };

}  // namespace

TEST_CASE("quad: values, and derivatives by arguments and bounds") {
    double const k = 0.7, s = std::sqrt(k);
    auto const [v, g] = ad::value_and_grad<0, 1, 2>(bell)(-1.0, 3.0, k);
    double const value = 0.5 * std::sqrt(pi) / s * (std::erf(3 * s) + std::erf(s));
    CHECK(std::abs(v - value) < 1e-13);
    CHECK(std::abs(std::get<0>(g) + std::exp(-k)) < 1e-13);
    CHECK(std::abs(std::get<1>(g) - std::exp(-9 * k)) < 1e-13);
    CHECK(std::abs(std::get<2>(g) - (-value + 3 * std::exp(-9 * k) + std::exp(-k)) / (2 * k)) < 1e-13);
    CHECK(std::abs(ad::hessian<1>(bell)(-1.0, 3.0, k) + 6 * k * std::exp(-9 * k)) < 1e-12);
    CHECK(std::abs(ad::value_and_grad<0, 1, 2>(bell)(3.0, -1.0, k).value + value) < 1e-13);
    CHECK(std::abs(ad::quad([](auto x) { return sin(x); }, 0.0, pi) - 2) < 1e-14);
}

TEST_CASE("quad: a cusp, many integrals at once, and one that there is not") {
    ad::tensor<double, 4> const from{-1, 0, 0.5, -0.3};
    auto const y = ad::evaluate(ad::vmap<0, ad::whole>(cusp), from, 2.0);
    for (int i = 0; i < 4; ++i) {
        CHECK(std::abs(y(i) - cusp_integral(from(i), 2)) < 1e-7);
        CHECK(std::abs(ad::evaluate(cusp, from(i), 2.0) - y(i)) < 1e-12);
    }
    CHECK_THROWS_AS(ad::evaluate(pole, 0.0), ad::convergence_error);
    CHECK(std::abs(ad::evaluate(pole, 0.1) - std::log(10.0)) < 1e-9);
    CHECK(std::isnan(ad::evaluate(quiet_pole, 0.0)));
}
