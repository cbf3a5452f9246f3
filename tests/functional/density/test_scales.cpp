// SPDX-License-Identifier: MIT
// Densities of scales, the halves of symmetric ones: values by their formulas, derivatives by differences.

#include "functional/density/density_cases.hpp"

using namespace density_cases;
namespace density = ad::density;

namespace {
doubles const y{0.3, 1.2, 0.05, 4.5}, a{0.7, 1.3, 2.5, 9.0}, b{0.4, 1.9, 3.0, 1.1};
}

TEST_CASE("half_normal_lpdf") {
    check("half_normal", [](auto v, auto s) { return density::half_normal_lpdf(v, s); },
          [](real v, real s) { return 2 * std::exp(-v * v / (2 * s * s)) / (s * std::sqrt(2 * pi)); }, y, b);
}
TEST_CASE("half_cauchy_lpdf") {
    check("half_cauchy", [](auto v, auto s) { return density::half_cauchy_lpdf(v, s); },
          [](real v, real s) { return 2 * s / (pi * (s * s + v * v)); }, y, b);
}
TEST_CASE("half_student_t_lpdf") {
    check("half_student_t", [](auto v, auto n, auto s) { return density::half_student_t_lpdf(v, n, s); },
          [](real v, real n, real s) {
              return 2 * std::tgamma((n + 1) / 2) / std::tgamma(n / 2) / std::sqrt(n * pi) / s *
                     std::pow(1 + std::pow(v / s, 2) / n, -(n + 1) / 2);
          },
          y, a, b);
}
