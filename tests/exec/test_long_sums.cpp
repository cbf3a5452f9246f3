// SPDX-License-Identifier: MIT
// Sums of 10^7 floats, as accurate as pairwise summation: whole, by rows, by columns.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr std::size_t count = 10'000'000;

/// Constant, random in [0, 1), and 1, -0.5, 1, -0.5, ...
std::vector<float> numbers(int kind) {
    std::vector<float> x(count);
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        x[i] = kind == 0 ? 0.1f : kind == 1 ? static_cast<float>(state >> 8) / 16777216.0f : i % 2 ? -0.5f : 1.0f;
    }
    return x;
}

/// The largest relative error of sums of `length` elements that lie `step` apart.
template <class Sums>
double worst(std::vector<float> const& x, Sums const& sums, std::size_t length, std::size_t step,
             std::size_t first_step) {
    double result = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        double exact = 0;
        for (std::size_t k = 0; k < length; ++k) exact += static_cast<double>(x[i * first_step + k * step]);
        result = std::max(result, std::abs(static_cast<double>(sums.data()[i]) - exact) / std::abs(exact));
    }
    return result;
}

}  // namespace

TEST_CASE("sum: ten million floats keep a relative error under 1e-6, whole, by rows and by columns") {
    auto const kind = GENERATE(0, 1, 2);
    INFO("kind " << kind);
    auto const x = numbers(kind);
    std::vector<float> const whole{ad::evaluate([](auto v) { return sum(v); }, x)};
    CHECK(worst(x, whole, count, 1, 1) < 1e-6);

    constexpr std::size_t wide = 2'500'000;
    ad::view<float const, dyn, dyn> const few_rows(x.data(), count / wide, wide),
        few_columns(x.data(), wide, count / wide);
    auto const rows = ad::evaluate([](auto v) { return sum<1>(v); }, few_rows);
    REQUIRE(rows.size() == 4);
    CHECK(worst(x, rows, wide, 1, wide) < 1e-6);
    auto const columns = ad::evaluate([](auto v) { return sum<0>(v); }, few_columns);
    REQUIRE(columns.size() == 4);
    if (kind < 2) CHECK(worst(x, columns, wide, 4, 1) < 1e-6);
    else CHECK(worst(x, columns, wide, 4, 1) == 0);
}

TEST_CASE("sum: the gradient of a broadcast number over ten million floats is as accurate") {
    auto const x = numbers(1);
    double exact = 0;
    for (float v : x) exact += static_cast<double>(v);
    auto const [value, g] = ad::value_and_grad<1>([](auto v, auto s) { return mean(v * s); })(x, 2.0f);
    double const mean = exact / static_cast<double>(count);
    CHECK(std::abs(static_cast<double>(g) - mean) < 1e-6 * mean);
    CHECK(std::abs(static_cast<double>(value) - 2 * mean) < 2e-6 * mean);
}
