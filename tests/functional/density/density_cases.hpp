// SPDX-License-Identifier: MIT
#pragma once
// A density against its formula, and its derivatives against central differences.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace density_cases {

using doubles = std::vector<double>;
using real = long double;
inline constexpr real pi = std::numbers::pi_v<real>;
inline constexpr double inf = std::numeric_limits<double>::infinity();

/// f(y, p...) is the sum over i of ln pdf(y[i], p[i]...).
template <class F, class Pdf, class Y, class... P>
void check_value(char const* name, F f, Pdf pdf, Y const& y, P const&... p) {
    real want = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
        want += std::log(pdf(static_cast<real>(y[i]), static_cast<real>(p[i])...));
    double const got = ad::evaluate(f, y, p...);
    INFO(name << " is " << got << ", expected " << static_cast<double>(want));
    CHECK(std::abs(got - want) <= 2e-14L * (1 + std::abs(want)));
}

/// The sum of all derivatives by the arguments from First on: its gradient is sums of second derivatives.
template <class F, int First>
constexpr auto slopes = [](auto... x) {
    return [&]<int... I>(std::integer_sequence<int, I...>) {
        return (sum(ad::grad<First + I>(F{})(x...)) + ...);
    }(std::make_integer_sequence<int, static_cast<int>(sizeof...(x)) - First>{});
};

/// First derivatives by y and the parameters, and second derivatives.
template <class F, class... P>
void check_gradients(char const* name, F f, doubles const& y, P const&... p) {
    INFO(name);
    [&]<int... I>(std::integer_sequence<int, I...>) {
        CHECK(ad::check_gradient<0, I + 1 ...>(f, y, p...).passed);
        CHECK(ad::check_gradient<0, I + 1 ...>(slopes<F, 0>, y, p...).passed);
    }(std::make_integer_sequence<int, static_cast<int>(sizeof...(P))>{});
}

/// The value by a formula, and the derivatives.
template <class F, class Pdf, class... P>
void check(char const* name, F f, Pdf pdf, doubles const& y, P const&... p) {
    check_value(name, f, pdf, y, p...);
    check_gradients(name, f, y, p...);
}

}  // namespace density_cases
