// SPDX-License-Identifier: MIT
// Pairs of items of three numbers each, each with each, against plain loops, with few and with many of either.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

using items = ad::tensor<double, ad::dyn, 3>;

items numbers(std::size_t n, double first) {
    items x(n);
    for (double& v : x) first += 1.3, v = std::sin(first) + 0.01 * first;
    return x;
}
double square_of(double v) { return v * v; }
double apart(items const& x, std::size_t i, items const& c, std::size_t k) {
    double s = 0;
    for (std::size_t d = 0; d < 3; ++d) s += square_of(x(i, d) - c(k, d));
    return s;
}
double furthest(items const& a, items const& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a.data()[i] - b.data()[i]));
    return most;
}

constexpr auto distances = [](auto x, auto c) { return sum<2>(square(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(c))); };
constexpr auto nearest = [](auto x, auto c) { return sum(min<1>(distances(x, c))); };
constexpr auto potential = [](auto x, auto c) { return sum(1.0 / (1.0 + distances(x, c))); };

struct expected {
    double value = 0;
    items by_x, by_c;
};
/// Those that are equally near share the gradient.
expected nearest_by_hand(items const& x, items const& c) {
    expected r{0, items(x.extent(0)), items(c.extent(0))};
    for (std::size_t i = 0; i < x.extent(0); ++i) {
        double least = std::numeric_limits<double>::infinity(), ties = 0;
        for (std::size_t k = 0; k < c.extent(0); ++k) least = std::min(least, apart(x, i, c, k));
        for (std::size_t k = 0; k < c.extent(0); ++k) ties += apart(x, i, c, k) == least;
        r.value += least;
        for (std::size_t k = 0; k < c.extent(0); ++k)
            for (std::size_t d = 0; d < 3 && apart(x, i, c, k) == least; ++d) {
                r.by_x(i, d) += 2 * (x(i, d) - c(k, d)) / ties;
                r.by_c(k, d) -= 2 * (x(i, d) - c(k, d)) / ties;
            }
    }
    return r;
}
expected potential_by_hand(items const& x, items const& c) {
    expected r{0, items(x.extent(0)), items(c.extent(0))};
    for (std::size_t i = 0; i < x.extent(0); ++i)
        for (std::size_t k = 0; k < c.extent(0); ++k) {
            double const y = 1 / (1 + apart(x, i, c, k));
            r.value += y;
            for (std::size_t d = 0; d < 3; ++d) {
                r.by_x(i, d) -= 2 * y * y * (x(i, d) - c(k, d));
                r.by_c(k, d) += 2 * y * y * (x(i, d) - c(k, d));
            }
        }
    return r;
}

template <class F>
void check(F f, expected (*by_hand)(items const&, items const&), std::size_t fewest) {
    auto step = ad::value_and_grad<0, 1>(f);
    for (std::size_t n : {0u, 1u, 2u, 3u, 5u, 255u, 256u, 257u, 300u})
        for (std::size_t k : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 31u, 32u, 33u, 64u, 65u, 130u, 1100u}) {
            if (k < fewest || (n > 5 && k > 130)) continue;
            items const x = numbers(n, 0.1);
            items c = numbers(k, 0.7);
            for (std::size_t d = 0; d < 3 && k > 4; ++d) c(k - 1, d) = c(2, d);
            expected const e = by_hand(x, c);
            auto const [value, by] = step(x, c);
            auto const& [by_x, by_c] = by;
            INFO(n << " by " << k);
            CHECK(value == Approx(e.value).epsilon(1e-12));
            CHECK(furthest(by_x, e.by_x) < 1e-11);
            CHECK(furthest(by_c, e.by_c) < 1e-11 * static_cast<double>(n + 1));
        }
}

}  // namespace

TEST_CASE("pairs: the nearest of some items, and those that are equally near") { check(nearest, nearest_by_hand, 1); }
TEST_CASE("pairs: sums over both") { check(potential, potential_by_hand, 0); }

TEST_CASE("pairs: what is not the nearest adds nothing, even where it is infinitely far") {
    for (std::size_t k : {3u, 40u, 130u}) {
        items const x = numbers(3, 0.1);
        items c = numbers(k, 0.7);
        c(1, 1) = std::numeric_limits<double>::infinity();
        auto const [by_x, by_c] = ad::grad<0, 1>(nearest)(x, c);
        expected const e = nearest_by_hand(x, c);
        CHECK(furthest(by_x, e.by_x) < 1e-12);
        CHECK(furthest(by_c, e.by_c) < 1e-12);
    }
}

TEST_CASE("pairs: no array of pairs is stored, and what is read for each row lies in one piece") {
    auto step = ad::value_and_grad<1>(nearest);
    std::string const s = ad::explain(step, numbers(100, 0.1), numbers(200, 0.1));
    CHECK(s.find("(100, 200)") != std::string::npos);
    CHECK(s.find("double(100, 200") == std::string::npos);
    CHECK(s.find("(100, 200, 3)") == std::string::npos);
    CHECK(s.find("3 phases a row, 1 of them where the extreme is") != std::string::npos);
    CHECK(s.find("buffer 0 double(1, 200, 1): values, stored") != std::string::npos);
}
