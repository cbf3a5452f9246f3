// SPDX-License-Identifier: MIT
// Tuples where a careless std::tuple(...) would take them apart.

#include <tapeless/tapeless.hpp>

#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {
constexpr auto scaled = [](auto p) { return sum(square(std::get<0>(p))) * exp(std::get<1>(p)); };
constexpr auto outer = [](auto p) {
    auto g = ad::grad<0>(scaled)(p);  // a pair again
    return sum(g.first) * g.second;
};
}  // namespace

TEST_CASE("tuples: check_gradient looks at every array of a tuple") {
    std::tuple<std::vector<double>, double> const t{{1, 2, 3}, 0.5};
    auto const report = ad::check_gradient<0>(scaled, t);
    CHECK(report.passed);
    CHECK(report.checked == 4);
}

TEST_CASE("tuples: a nested gradient of a pair is a pair") {
    std::pair<std::vector<double>, double> const t{{1, 2, 3}, 0.0};
    CHECK(ad::evaluate(outer, t) == 2.0 * 6 * 14);
}
