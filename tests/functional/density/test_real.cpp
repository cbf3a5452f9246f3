// SPDX-License-Identifier: MIT
// Densities of real numbers: values by their formulas, first and second derivatives by differences.

#include "functional/density/density_cases.hpp"

using namespace density_cases;
namespace density = ad::density;

namespace {
doubles const y{-1.3, 0.2, 0.9, 2.5}, mu{0.1, -0.4, 1.5, 0.7}, sigma{0.8, 1.7, 0.3, 2.2}, nu{1.5, 4.0, 9.5, 30.0};
}

TEST_CASE("normal_lpdf, std_normal_lpdf") {
    auto const pdf = [](real v, real m, real s) {
        return std::exp(-(v - m) * (v - m) / (2 * s * s)) / (s * std::sqrt(2 * pi));
    };
    check("normal", [](auto v, auto m, auto s) { return density::normal_lpdf(v, m, s); }, pdf, y, mu, sigma);
    check_value(
        "std_normal", [](auto v) { return density::std_normal_lpdf(v); }, [&](real v) { return pdf(v, 0, 1); }, y);
}
TEST_CASE("cauchy_lpdf") {
    check("cauchy", [](auto v, auto m, auto s) { return density::cauchy_lpdf(v, m, s); },
          [](real v, real m, real s) { return s / (pi * (s * s + (v - m) * (v - m))); }, y, mu, sigma);
}
TEST_CASE("double_exponential_lpdf") {
    check("double_exponential", [](auto v, auto m, auto s) { return density::double_exponential_lpdf(v, m, s); },
          [](real v, real m, real s) { return std::exp(-std::abs(v - m) / s) / (2 * s); }, y, mu, sigma);
}
TEST_CASE("logistic_lpdf") {
    check("logistic", [](auto v, auto m, auto s) { return density::logistic_lpdf(v, m, s); },
          [](real v, real m, real s) { return 1 / (4 * s * std::pow(std::cosh((v - m) / (2 * s)), 2)); }, y, mu, sigma);
}
TEST_CASE("student_t_lpdf") {
    check("student_t", [](auto v, auto n, auto m, auto s) { return density::student_t_lpdf(v, n, m, s); },
          [](real v, real n, real m, real s) {
              return std::tgamma((n + 1) / 2) / std::tgamma(n / 2) / std::sqrt(n * pi) / s *
                     std::pow(1 + std::pow((v - m) / s, 2) / n, -(n + 1) / 2);
          },
          y, nu, mu, sigma);
}
TEST_CASE("student_t_lpdf: of many degrees of freedom it is the normal density") {
    double const t = ad::evaluate([](auto v) { return density::student_t_lpdf(v, 1e12, 0.0, 1.0); }, y);
    CHECK(t == Approx(ad::evaluate([](auto v) { return density::std_normal_lpdf(v); }, y)).epsilon(1e-11));
}
TEST_CASE("skew_normal_lpdf") {
    check("skew_normal", [](auto v, auto m, auto s, auto a) { return density::skew_normal_lpdf(v, m, s, a); },
          [](real v, real m, real s, real a) {
              real const z = (v - m) / s;
              return std::exp(-z * z / 2) / (s * std::sqrt(2 * pi)) * std::erfc(-a * z / std::sqrt(real(2)));
          },
          y, mu, sigma, doubles{-2.0, 0.5, 3.0, 1.0});
}
TEST_CASE("von_mises_lpdf") {
    check("von_mises", [](auto v, auto m, auto k) { return density::von_mises_lpdf(v, m, k); },
          [](real v, real m, real k) {
              real i0 = 0, term = 1;
              for (int n = 1; n < 200; ++n) i0 += term, term *= k * k / 4 / static_cast<real>(n * n);
              return std::exp(k * std::cos(v - m)) / (2 * pi * i0);
          },
          y, mu, doubles{0.3, 2.0, 7.5, 20.0});
}
TEST_CASE("uniform_lpdf: the same inside, -inf outside, and gradients by the bounds") {
    auto const f = [](auto v, auto a, auto b) { return density::uniform_lpdf(v, a, b); };
    CHECK(ad::evaluate(f, y, -2.0, 3.0) == Approx(-4 * std::log(5.0)).epsilon(1e-15));
    CHECK(ad::evaluate(f, y, -2.0, 2.0) == -inf);
    CHECK(ad::evaluate(f, y, -1.0, 3.0) == -inf);
    CHECK(ad::check_gradient<1, 2>(f, y, -2.0, 3.0).passed);
}
