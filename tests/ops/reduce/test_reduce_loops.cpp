// SPDX-License-Identifier: MIT
// Reductions of rows and columns of any length, dense or strided, beside plain loops in double.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Everything of the slices along one axis.
template <int Axis>
constexpr auto all_of_them = [](auto x) {
    auto [high, at] = max_with_index<Axis>(x);
    return std::tuple(sum<Axis>(x), mean<Axis>(x), prod<Axis>(x), max<Axis>(x), min<Axis>(x), var<Axis>(x),
                      std_dev<Axis>(x, {.correction = 0}), logsumexp<Axis>(x), norm<Axis>(x), norm<Axis>(x, 1),
                      norm<Axis>(x, 2.5), norm<Axis>(x, infinite), high, argmax<Axis>(x), argmin<Axis>(x), at,
                      any<Axis>(x > 1.4), all<Axis>(x > 0.6), count_nonzero<Axis>(x > 1.0));
};

/// The same of one slice, by loops.
std::vector<double> expected(std::vector<double> const& x) {
    double const n = static_cast<double>(x.size());
    double sum = 0, product = 1, squares = 0, absolute = 0, powers = 0, exponentials = 0, deviations = 0, above = 0;
    auto const high = std::max_element(x.begin(), x.end()), low = std::min_element(x.begin(), x.end());
    for (double v : x) {
        sum += v;
        product *= v;
        squares += v * v;
        absolute += std::abs(v);
        powers += std::pow(std::abs(v), 2.5);
        exponentials += std::exp(v);
        above += v > 1.0;
    }
    for (double v : x) deviations += (v - sum / n) * (v - sum / n);
    double const at = static_cast<double>(high - x.begin());
    return {sum, sum / n, product, *high, *low, deviations / (n - 1), std::sqrt(deviations / n), std::log(exponentials),
            std::sqrt(squares), absolute, std::pow(powers, 0.4), std::max(std::abs(*high), std::abs(*low)), *high, at,
            static_cast<double>(low - x.begin()), at, *high > 1.4 ? 1.0 : 0.0, *low > 0.6 ? 1.0 : 0.0, above};
}

template <class T>
void fill(T& x) {
    int i = 0;
    for (auto& v : x) {
        v = static_cast<std::remove_reference_t<decltype(v)>>(1.0 + 0.5 * std::sin(2.3 * i + 0.01 * i * i));
        ++i;
    }
}

template <class Results, class X>
void compare(Results const& results, X const& x, int axis, double tolerance) {
    auto const slices = x.extent(1 - axis), length = x.extent(axis);
    for (std::size_t s = 0; s < slices; ++s) {
        std::vector<double> slice;
        for (std::size_t i = 0; i < length; ++i) slice.push_back(static_cast<double>(axis == 1 ? x(s, i) : x(i, s)));
        auto const want = expected(slice);
        std::size_t k = 0;
        auto one = [&](auto const& r) {
            double const is = static_cast<double>(r(s)), e = want[k];
            INFO("result " << k << ", slice " << s << " of " << slices << ", length " << length << ": " << is
                           << " instead of " << e);
            CHECK(((std::isnan(e) && std::isnan(is)) || std::abs(is - e) <= tolerance * std::max(1.0, std::abs(e))));
            ++k;
        };
        std::apply([&](auto const&... r) { (one(r), ...); }, results);
    }
}

}  // namespace

TEST_CASE("reductions: rows and columns of any length are those of plain loops") {
    auto rows = ad::fused(all_of_them<1>);
    auto columns = ad::fused(all_of_them<0>);
    constexpr std::size_t lanes = ad::simd::lanes<float>;
    for (std::size_t n : {std::size_t{1}, std::size_t{3}, lanes - 1, lanes, lanes + 1, 2 * lanes + 1, 8 * lanes - 1})
        for (std::size_t m : {std::size_t{1}, std::size_t{2}, lanes - 1, lanes + 1, 4 * lanes, 4 * lanes + 1}) {
            ad::tensor<float, dyn, dyn> x(n, m);
            fill(x);
            compare(rows(x), x, 1, 2e-5);
            compare(columns(x), x, 0, 2e-5);
        }
}

TEST_CASE("reductions: strided arguments are reduced where their elements are") {
    auto rows = ad::fused(all_of_them<1>);
    std::vector<double> memory(300);
    fill(memory);
    using strides = std::array<std::ptrdiff_t, 2>;
    for (strides s : {strides{7, 1}, strides{20, 2}, strides{1, 5}, strides{-7, -1}, strides{11, -1}}) {
        ad::view<double const, dyn, dyn> const v(memory.data() + 150, 5, 7, s);
        compare(rows(v), v, 1, 1e-12);
    }
}
