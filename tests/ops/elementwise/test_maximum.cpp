// SPDX-License-Identifier: MIT
// maximum(a, b) against the reference, ties and NaN.

#include <cmath>
#include <limits>

#include "ops/binary_patterns.hpp"

using namespace reference;

namespace {
constexpr auto op = [](auto a, auto b) { return maximum(a, b); };
}

TEST_CASE("maximum: double output and gradients are those of the reference") {
    run_binary<double, merged_or_stretched, with_number, with_row, with_column>(op, "maximum");
}
TEST_CASE("maximum: float output and gradients are those of the reference") {
    run_binary<float, merged_or_stretched>(op, "maximum");
}

TEST_CASE("maximum: at equality each side gets half") {
    std::vector<double> const a{1, 2, 3, 0.0}, b{1, 3, 2, -0.0};
    auto const [da, db] = tapeless::grad<0, 1>([](auto x, auto y) { return sum(maximum(x, y)); })(a, b);
    CHECK(da == std::vector<double>{0.5, 0, 1, 0.5});
    CHECK(db == std::vector<double>{0.5, 1, 0, 0.5});
}

TEST_CASE("maximum: NaN on either side comes through") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    auto const y = tapeless::evaluate([](auto v, auto w) { return maximum(v, w); },
                                      std::vector<double>{nan, 1, nan, 1, nan}, std::vector<double>{1, nan, nan, 2, 1});
    CHECK(std::isnan(y(0)));
    CHECK(std::isnan(y(1)));
    CHECK(std::isnan(y(2)));
    CHECK(y(3) == 2);
    CHECK(std::isnan(y(4)));  // in the tail of the loop too
}
