// SPDX-License-Identifier: MIT
// Every smooth function of one variable: its derivative against central differences of the function, and its second
// derivative, the rule of the rule, against central differences of the derivative.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <vector>

#include "ops/elementwise/slopes.hpp"
#include "support/catch.hpp"

namespace {

/// The gradient by the weights is the function and its two derivatives, of every operation: one traced function for
/// all.
template <class... Op>
constexpr auto weighted = [](auto x, auto w) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (sum(Op{}(x) * w[3 * I] + slope<Op>(x) * w[3 * I + 1] + curvature<Op>(x) * w[3 * I + 2]) + ...);
    }(std::index_sequence_for<Op...>{});
};

template <class Op>
struct row {
    char const* name;
    Op op;
};
template <class Op>
row(char const*, Op) -> row<Op>;

std::vector<double> const points{0.17, 0.26, 0.35, 0.44, 0.53, 0.62, 0.83};

template <class... Op>
void check(row<Op>... rows) {
    char const* const names[] = {rows.name...};
    std::array<std::vector<double>, 3 * sizeof...(Op)> weights;
    weights.fill(std::vector<double>(points.size(), 1.0));
    auto derivatives = ad::grad<1>(weighted<Op...>);
    constexpr double h = 5e-6;
    auto moved = points;
    auto const at = [&](double by) {
        for (std::size_t i = 0; i < points.size(); ++i) moved[i] = points[i] + by;
        return derivatives(moved, weights);
    };
    auto const here = at(0), above = at(h), below = at(-h);
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (k % 3 == 2) continue;
        for (std::size_t i = 0; i < points.size(); ++i) {
            double const difference = (above[k][i] - below[k][i]) / (2 * h), derivative = here[k + 1][i];
            INFO(names[k / 3] << ", derivative " << k % 3 + 1 << " at " << points[i] << ": " << derivative
                              << ", difference " << difference);
            CHECK(std::abs(derivative - difference) <= 1e-8 * (1 + std::abs(difference)));
        }
    }
}

}  // namespace

TEST_CASE("smooth functions: exponentials and logarithms have the right first and second derivatives") {
    check(row{"exp2", [](auto x) { return exp2(x - 0.5); }}, row{"expm1", [](auto x) { return expm1(x - 0.5); }},
          row{"log2", [](auto x) { return log2(x); }}, row{"log10", [](auto x) { return log10(x); }},
          row{"log1p", [](auto x) { return log1p(x - 0.5); }}, row{"exp", [](auto x) { return exp(x); }},
          row{"log", [](auto x) { return log(x); }}, row{"logaddexp", [](auto x) { return logaddexp(x * x, 0.3 - x); }},
          row{"xlogy", [](auto x) { return xlogy(x - 0.5, x); }});
}
TEST_CASE("smooth functions: roots and powers have the right first and second derivatives") {
    check(row{"sqrt", [](auto x) { return sqrt(x); }}, row{"rsqrt", [](auto x) { return rsqrt(x); }},
          row{"reciprocal", [](auto x) { return reciprocal(x - 0.01); }},
          row{"square", [](auto x) { return square(x); }}, row{"pow(x, 2.5)", [](auto x) { return pow(x, 2.5); }},
          row{"pow(0.3, x)", [](auto x) { return pow(0.3, x); }},
          row{"pow(x, x)", [](auto x) { return pow(x, x - 0.5); }},
          row{"hypot", [](auto x) { return hypot(x - 0.5, x * x); }},
          row{"lerp", [](auto x) { return lerp(x, x * x, 0.2 + x); }});
}
TEST_CASE("smooth functions: trigonometric functions have the right first and second derivatives") {
    check(row{"sin", [](auto x) { return sin(x); }}, row{"cos", [](auto x) { return cos(x); }},
          row{"tan", [](auto x) { return tan(x - 0.5); }}, row{"asin", [](auto x) { return asin(x - 0.5); }},
          row{"acos", [](auto x) { return acos(x - 0.5); }}, row{"atan", [](auto x) { return atan(x - 0.5); }},
          row{"atan2", [](auto x) { return atan2(x - 0.5, x * x); }});
}
TEST_CASE("smooth functions: hyperbolic and error functions have the right first and second derivatives") {
    check(row{"sinh", [](auto x) { return sinh(x - 0.5); }}, row{"cosh", [](auto x) { return cosh(x - 0.5); }},
          row{"tanh", [](auto x) { return tanh(x - 0.5); }}, row{"asinh", [](auto x) { return asinh(x - 0.5); }},
          row{"acosh", [](auto x) { return acosh(x + 1.0); }}, row{"atanh", [](auto x) { return atanh(x - 0.5); }},
          row{"erf", [](auto x) { return erf(x - 0.5); }}, row{"erfc", [](auto x) { return erfc(x - 0.5); }});
}
TEST_CASE("smooth functions: activations have the right first and second derivatives") {
    check(
        row{"sigmoid", [](auto x) { return sigmoid(x - 0.5); }},
        row{"softplus", [](auto x) { return softplus(x - 0.5, 3); }},
        row{"logsigmoid", [](auto x) { return logsigmoid(x - 0.5); }},
        row{"silu", [](auto x) { return silu(x - 0.5); }}, row{"mish", [](auto x) { return mish(x - 0.5); }},
        row{"gelu", [](auto x) { return gelu(x - 0.5); }}, row{"gelu_tanh", [](auto x) { return gelu_tanh(x - 0.5); }},
        row{"softsign", [](auto x) { return softsign(x - 0.5); }}, row{"elu", [](auto x) { return elu(x - 0.5, 1.0); }},
        row{"selu", [](auto x) { return selu(x); }}, row{"prelu", [](auto x) { return leaky_relu(x - 0.5, x); }});
}
