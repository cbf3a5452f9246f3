// SPDX-License-Identifier: MIT
// The special functions as operations: value, derivative and second derivative against central differences of one
// another.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/elementwise/slopes.hpp"
#include "support/catch.hpp"

namespace {

template <class Op>
constexpr auto value_and_derivatives = [](auto x) { return std::tuple(Op{}(x), slope<Op>(x), curvature<Op>(x)); };

std::vector<double> const points{0.17, 0.26, 0.35, 0.44, 0.53, 0.62, 0.83};

template <class Op>
void check(char const* name, Op) {
    auto all = ad::fused(value_and_derivatives<Op>);
    constexpr double h = 5e-6;
    auto const at = [&](double by) {
        auto moved = points;
        for (double& x : moved) x += by;
        auto [a, b, c] = all(moved);
        return std::array{std::vector<double>(a.begin(), a.end()), std::vector<double>(b.begin(), b.end()),
                          std::vector<double>(c.begin(), c.end())};
    };
    auto const here = at(0), above = at(h), below = at(-h);
    for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < points.size(); ++i) {
            double const difference = (above[k][i] - below[k][i]) / (2 * h);
            double const derivative = here[k + 1][i];
            INFO(name << ", derivative " << k + 1 << " at " << points[i] << ": " << derivative << ", difference "
                      << difference);
            CHECK(std::abs(derivative - difference) <= 2e-8 * (1 + std::abs(difference)));
        }
}

}  // namespace

TEST_CASE("gamma functions: first and second derivatives") {
    check("lgamma", [](auto x) { return lgamma(2.0 * x + 0.1); });
    check("digamma", [](auto x) { return digamma(x + 0.5); });
    check("trigamma", [](auto x) { return trigamma(x + 1.0); });
    check("polygamma<3>", [](auto x) { return ad::polygamma<3>(x + 2.0); });
    check("polygamma<0>", [](auto x) { return ad::polygamma<0>(x + 2.0); });
    check("lgamma of negative numbers", [](auto x) { return lgamma(-1.0 - x); });
}
TEST_CASE("beta functions: first and second derivatives") {
    check("log_beta", [](auto x) { return log_beta(x + 1.0, 2.0 * x); });
    check("beta", [](auto x) { return beta(x, 2.5); });
}
TEST_CASE("incomplete gamma functions: first and second derivatives by x") {
    check("gamma_p", [](auto x) { return gamma_p(1.7, 3.0 * x); });
    check("gamma_q", [](auto x) { return gamma_q(0.4, 2.0 * x); });
}
TEST_CASE("normal distribution: first and second derivatives") {
    check("normal_cdf", [](auto x) { return normal_cdf(3.0 * x - 2.0); });
    check("log_normal_cdf", [](auto x) { return log_normal_cdf(6.0 * x - 4.0); });
    check("inv_normal_cdf", [](auto x) { return inv_normal_cdf(x); });
}
TEST_CASE("inverses and logarithms: first and second derivatives") {
    check("erfinv", [](auto x) { return erfinv(x - 0.3); });
    check("erfcinv", [](auto x) { return erfcinv(x + 0.3); });
    check("logit", [](auto x) { return logit(x); });
    check("log1mexp", [](auto x) { return log1mexp(-x); });
    check("log1pexp", [](auto x) { return log1pexp(x - 0.5); });
}
TEST_CASE("Bessel functions: first and second derivatives") {
    check("i0", [](auto x) { return i0(x - 0.5); });
    check("i1", [](auto x) { return i1(x - 0.5); });
    check("i0e", [](auto x) { return i0e(x + 0.1); });
    check("i1e", [](auto x) { return i1e(x + 0.1); });
}

TEST_CASE("gamma_p, gamma_q: the derivative by the shape, where x is below it, above it, and far above") {
    auto const f = [](auto a, auto x) { return sum(gamma_p(a, x) * x - gamma_q(a, x)); };
    CHECK(ad::check_gradient<0, 1>(f, std::vector{0.3, 1.7, 5.0, 31.0, 2.0}, std::vector{0.2, 2.5, 4.9, 28.0, 9.0})
              .passed);
}
TEST_CASE("Bessel functions: derivatives at 0") {
    auto const f = [](auto x) { return std::tuple(i0(x), i1(x), i0e(x), i1e(x)); };
    auto const d = ad::jvp<0>(f)(0.0, 1.0);
    auto const [a, b, c, e] = d.tangent;
    CHECK(a == 0);
    CHECK(b == 0.5);
    CHECK(c == 0);  // a kink, as |x| is
    CHECK(e == 0.5);
    // I_1 = x/2 + x^3/16 + ...
    constexpr auto second = [](auto x) {
        return ad::grad<0>([](auto v) { return ad::grad<0>([](auto w) { return i1(w); })(v); })(x);
    };
    CHECK(ad::grad<0>(second)(0.0) == 0.375);
}
TEST_CASE("lgamma and digamma: derivatives at poles are infinite or NaN, and elsewhere none of it is seen") {
    std::vector<double> const x{0.0, -2.0, 3.0};
    auto const g = ad::grad<0>([](auto v) { return sum(lgamma(v)); })(x);
    CHECK(std::isinf(g[0]));
    CHECK(std::isnan(g[1]));
    CHECK(g[2] == Approx(0.92278433509846713).epsilon(1e-15));
}
TEST_CASE("log_normal_cdf: the gradient far in the tail is -x and a little") {
    auto const g = ad::grad<0>([](auto v) { return sum(log_normal_cdf(v)); })(std::vector{-50.0, -1e6, 40.0});
    CHECK(g[0] == Approx(50.019984032).epsilon(1e-10));  // -x - 1/x + 2/x^3 - ...
    CHECK(g[1] == Approx(1e6).epsilon(1e-11));
    CHECK(g[2] < 1e-300);
}
TEST_CASE("special functions of float arrays: rounded once") {
    std::vector<float> const x{0.3f, 1.7f, 12.5f, 140.0f};
    auto const y = ad::evaluate([](auto v) { return lgamma(v); }, x);
    for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(y(i) == static_cast<float>(std::lgamma(static_cast<double>(x[i]))));
}
