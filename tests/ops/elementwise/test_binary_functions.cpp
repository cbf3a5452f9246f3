// SPDX-License-Identifier: MIT
// atan2, hypot, logaddexp, xlogy and lerp: the reference, and the points where a careless formula breaks.

#include <cmath>
#include <limits>

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
using doubles = std::vector<double>;
}  // namespace

TEMPLATE_TEST_CASE("atan2, hypot, logaddexp: output and gradients are those of the reference", "", double, float) {
    run_binary<TestType, merged_or_stretched>([](auto a, auto b) { return atan2(a, b); }, "atan2");
    run_binary<TestType, merged_or_stretched>([](auto a, auto b) { return hypot(a, b); }, "hypot");
    run_binary<TestType, merged_or_stretched>([](auto a, auto b) { return logaddexp(a, b); }, "logaddexp");
}

namespace {
/// { value, d/da, d/db }
template <class F>
std::array<doubles, 3> at(F, doubles const& a, doubles const& b) {
    auto const [da, db, y] =
        ad::grad<0, 1, 2>([](auto u, auto v, auto w) { return sum(F{}(u, v) * w); })(a, b, doubles(a.size(), 1.0));
    return {y, da, db};
}
}  // namespace

TEST_CASE("hypot: the gradient at 0 is 0, and neither large nor small operands overflow") {
    auto const h = at([](auto a, auto b) { return hypot(a, b); }, {0, 3e200, 3e-200, -5}, {0, 4e200, 4e-200, 0});
    CHECK(h[0][0] == 0);
    CHECK(std::abs(h[0][1] / 5e200 - 1) < 1e-15);
    CHECK(std::abs(h[0][2] / 5e-200 - 1) < 1e-15);
    CHECK(h[1][0] == 0);
    CHECK(h[2][0] == 0);
    CHECK(std::abs(h[1][1] - 0.6) < 1e-15);
    CHECK(std::abs(h[2][2] - 0.8) < 1e-15);
    CHECK(h[1][3] == -1);
    CHECK(h[2][3] == 0);
}
TEST_CASE("logaddexp: is stable far out, and -infinity adds nothing") {
    auto const l = at([](auto a, auto b) { return logaddexp(a, b); },
                      {1e4, -1e4, 0, -infinity, 2}, {-1e4, -1e4, 0, 3, -infinity});
    CHECK(l[0] == doubles{1e4, -1e4 + std::log(2.0), std::log(2.0), 3, 2});
    CHECK(l[1] == doubles{1, 0.5, 0.5, 0, 1});
    CHECK(l[2] == doubles{0, 0.5, 0.5, 1, 0});
}
TEST_CASE("xlogy: is 0 where a = 0, whatever b, and its gradients there are finite") {
    auto const x = at([](auto a, auto b) { return xlogy(a, b); }, {0, 0, 0, 2, 2}, {0, -1, infinity, 1, 0.5});
    CHECK(x[0] == doubles{0, 0, 0, 0, 2 * std::log(0.5)});
    CHECK(x[1] == doubles{0, 0, infinity, 0, std::log(0.5)});
    CHECK(x[2] == doubles{0, 0, 0, 2, 4});
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(ad::evaluate([](auto a, auto b) { return xlogy(a, b); }, 0.0, nan)));
}
TEST_CASE("lerp: is exact at both ends") {
    doubles const a{0.1, 1e16, -3, 2}, b{0.7, 1, 5, 2};
    CHECK(at([](auto u, auto v) { return lerp(u, v, 0); }, a, b) ==
          std::array{a, doubles{1, 1, 1, 1}, doubles{0, 0, 0, 0}});
    CHECK(at([](auto u, auto v) { return lerp(u, v, 1); }, a, b) ==
          std::array{b, doubles{0, 0, 0, 0}, doubles{1, 1, 1, 1}});
    CHECK(ad::grad<2>([](auto u, auto v, auto t) { return sum(lerp(u, v, t)); })(a, b, 0.25) ==
          (0.7 - 0.1) + (1 - 1e16) + 8);
}
