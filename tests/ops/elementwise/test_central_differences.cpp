// SPDX-License-Identifier: MIT
// Every operation against central differences at smooth points, at lengths around the width of a register.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto smooth = [](auto x, auto w) {  // x > 0
    return sum(exp(-x) * w + log(x) + sqrt(x) * w - square(x) / w + abs(w) * x + sin(x) * cos(w) + tanh(x - w) +
               sigmoid(x * w) + pow(x, 1.7) + pow(x, 3) * w + pow(w, -2) - x * w);
};
constexpr auto piecewise = [](auto x, auto w) {  // jumps and kinks stay 0.05 away from the points
    return sum(relu(x - 1.05) * w + maximum(x, w) * x + minimum(x, w) + where(x > 1.55 && w < 2.1, x * x, w * x) +
               where(!(x <= w) || x == w, w, 2.0 * x));
};

/// from, from + 0.1, ... in mixed order
template <class T>
std::vector<T> points(std::size_t n, double from, std::size_t step) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(from + 0.1 * static_cast<double>((i + 1) * step % 17));
    return x;
}

template <class T, class F>
void check_lengths(F f) {
    constexpr std::size_t lanes = 64 / sizeof(T);  // of the widest register there is, and so around every narrower one
    for (std::size_t n :
         {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{5}, std::size_t{7},
          std::size_t{8}, std::size_t{9}, lanes - 1, lanes, lanes + 1, 2 * lanes + 1, std::size_t{37}}) {
        auto const report = ad::check_gradient<0, 1>(f, points<T>(n, 0.6, 7), points<T>(n, 0.75, 5));
        INFO("n " << n << ": argument " << report.worst_argument << ", element " << report.worst_element << " is "
                  << report.worst_gradient << ", difference " << report.worst_difference);
        CHECK(report.passed);
        CHECK(report.checked == 2 * n);
    }
}

}  // namespace

TEST_CASE("central differences: smooth operations in double") { check_lengths<double>(smooth); }
TEST_CASE("central differences: piecewise operations in double") { check_lengths<double>(piecewise); }
TEST_CASE("central differences: smooth operations in float") { check_lengths<float>(smooth); }
TEST_CASE("central differences: piecewise operations in float") { check_lengths<float>(piecewise); }
