// SPDX-License-Identifier: MIT
// Densities of positive numbers and of probabilities: values by their formulas, derivatives by differences.

#include "functional/density/density_cases.hpp"

using namespace density_cases;
namespace density = ad::density;

namespace {
doubles const y{0.3, 1.2, 0.05, 4.5}, a{0.7, 1.3, 2.5, 9.0}, b{0.4, 1.9, 3.0, 1.1};
}

TEST_CASE("exponential_lpdf") {
    check("exponential", [](auto v, auto r) { return density::exponential_lpdf(v, r); },
          [](real v, real r) { return r * std::exp(-r * v); }, y, b);
}
TEST_CASE("gamma_lpdf") {
    check(
        "gamma", [](auto v, auto s, auto r) { return density::gamma_lpdf(v, s, r); },
        [](real v, real s, real r) { return std::pow(r, s) / std::tgamma(s) * std::pow(v, s - 1) * std::exp(-r * v); },
        y, a, b);
}
TEST_CASE("inv_gamma_lpdf") {
    check(
        "inv_gamma", [](auto v, auto s, auto r) { return density::inv_gamma_lpdf(v, s, r); },
        [](real v, real s, real r) { return std::pow(r, s) / std::tgamma(s) * std::pow(v, -s - 1) * std::exp(-r / v); },
        doubles{0.3, 1.2, 0.5, 4.5}, a, b);
}
TEST_CASE("lognormal_lpdf") {
    check("lognormal", [](auto v, auto m, auto s) { return density::lognormal_lpdf(v, m, s); },
          [](real v, real m, real s) {
              return std::exp(-std::pow((std::log(v) - m) / s, 2) / 2) / (v * s * std::sqrt(2 * pi));
          },
          y, a, b);
}
TEST_CASE("weibull_lpdf") {
    check("weibull", [](auto v, auto s, auto r) { return density::weibull_lpdf(v, s, r); },
          [](real v, real s, real r) { return s / r * std::pow(v / r, s - 1) * std::exp(-std::pow(v / r, s)); },
          doubles{0.3, 1.2, 0.5, 1.5}, a, b);
}
TEST_CASE("beta_lpdf") {
    check(
        "beta", [](auto v, auto s, auto r) { return density::beta_lpdf(v, s, r); },
        [](real v, real s, real r) {
            return std::tgamma(s + r) / (std::tgamma(s) * std::tgamma(r)) * std::pow(v, s - 1) * std::pow(1 - v, r - 1);
        },
        doubles{0.3, 0.92, 0.05, 0.5}, a, b);
}

TEST_CASE("outside of what is possible: -inf, and no gradient") {
    auto const at = [](auto f, double x) { return ad::evaluate(f, x); };
    CHECK(at([](auto x) { return density::exponential_lpdf(x, 2.0); }, -1) == -inf);
    CHECK(at([](auto x) { return density::gamma_lpdf(x, 2.0, 3.0); }, -1) == -inf);
    CHECK(at([](auto x) { return density::inv_gamma_lpdf(x, 2.0, 3.0); }, 0) == -inf);
    CHECK(at([](auto x) { return density::lognormal_lpdf(x, 0.0, 1.0); }, -0.5) == -inf);
    CHECK(at([](auto x) { return density::weibull_lpdf(x, 2.0, 1.0); }, -0.5) == -inf);
    CHECK(at([](auto x) { return density::half_normal_lpdf(x, 1.0); }, -0.5) == -inf);
    CHECK(at([](auto x) { return density::beta_lpdf(x, 2.0, 2.0); }, 1.5) == -inf);
    CHECK(at([](auto x) { return density::beta_lpdf(x, 2.0, 2.0); }, -0.5) == -inf);
    CHECK(ad::grad<0>([](auto x) { return density::gamma_lpdf(x, 2.0, 3.0); })(-1.0) == 0);
    CHECK(std::isnan(
        at([](auto x) { return density::gamma_lpdf(x, 2.0, 3.0); }, std::numeric_limits<double>::quiet_NaN())));
}
TEST_CASE("at the border: the limits where there are some") {
    auto const at = [](auto f, double x) { return ad::evaluate(f, x); };
    CHECK(at([](auto x) { return density::exponential_lpdf(x, 2.0); }, 0) == Approx(std::log(2.0)));
    CHECK(at([](auto x) { return density::gamma_lpdf(x, 1.0, 3.0); }, 0) == Approx(std::log(3.0)));
    CHECK(at([](auto x) { return density::gamma_lpdf(x, 2.0, 3.0); }, 0) == -inf);
    CHECK(at([](auto x) { return density::gamma_lpdf(x, 0.5, 3.0); }, 0) == inf);
    CHECK(at([](auto x) { return density::beta_lpdf(x, 1.0, 1.0); }, 1) == 0);
    CHECK(at([](auto x) { return density::beta_lpdf(x, 1.0, 1.0); }, 0) == 0);
    CHECK(at([](auto x) { return density::beta_lpdf(x, 1.0, 3.0); }, 1) == -inf);
}
