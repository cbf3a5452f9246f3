// SPDX-License-Identifier: MIT
// Loops under the transformations: their derivatives as loops that run backwards, their tangents, and many of them at
// once.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "transform/calls/arrays.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// sin(h) after steps h + x sin(h), and its derivatives by the first h.
constexpr auto value = [](auto start, auto xs) {
    return sin(ad::fold([](auto h, auto x) { return ad::let(h + x * sin(h)); }, start, xs));
};
constexpr auto slope = [](auto start, auto xs) { return ad::grad<0>(value)(start, xs); };
constexpr auto curvature = [](auto start, auto xs) { return ad::grad<0>(slope)(start, xs); };

/// The first derivatives of a number by another one.
struct series {
    double d[4];
};
series sin_of(series const& h) {
    double const s = std::sin(h.d[0]), c = std::cos(h.d[0]), h1 = h.d[1], h2 = h.d[2];
    return {{s, c * h1, c * h2 - s * h1 * h1, c * h.d[3] - 3 * s * h1 * h2 - c * h1 * h1 * h1}};
}

/// A carry that has no tangent before and between two that have one.
constexpr auto three_carries = [](auto start, auto xs) {
    auto const step = [](auto const& c, auto x) {
        auto const [scale, h, count, k] = c;
        return std::tuple(0.5 * scale, h * k + scale * x, count + 1.0, k + h * count);
    };
    auto const [scale, h, count, k] = ad::fold(step, std::tuple(1.0, start, 0.0, 2.0), xs);
    return h + 0.0 * scale;
};

/// The sums so far, and the last one.
constexpr auto sums = [](auto start, auto xs) {
    return ad::scan([](auto c, auto x) { auto const n = ad::let(2.0 * c + x); return std::pair(n, n - c); }, start, xs);
};

/// So many steps of a loop with a state of two numbers, until it has grown beyond the limit.
constexpr auto grown = [](auto start, auto limit) {
    auto const more = [=](auto const& c) { return ad::select<0>(c, 0) < limit; };
    auto const step = [](auto const& c) {
        auto const x = ad::select<0>(c, 0), y = ad::select<0>(c, 1);
        return ad::stack<0>(x + 0.3 * y + 0.1 * x * y, y + 0.01 * x * x);
    };
    return sum(square(ad::while_loop(more, step, start)));
};

int count_of(std::string const& what, std::string const& text) {
    int n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("vmap of jvp: one loop makes values and tangents, of one item in many directions and of many items") {
    auto directions = ad::vmap<ad::whole, ad::whole, 0>(ad::jvp<0>(value));
    auto items = ad::vmap<0, ad::whole, 0>(ad::jvp<0>(value));
    std::vector<double> xs(5);
    fill(xs, 0.8, 0.7);
    for (std::size_t n = 1; n <= 19; ++n) {
        CAPTURE(n);
        std::vector<double> d(n), starts(n);
        fill(d, 0.5, 0.3);
        fill(starts, 0.4, 0.2);
        if (n == 1) {
            CHECK(count_of("5 steps of a body", ad::explain(directions, 0.6, xs, d)) == 1);
            CHECK(count_of("5 steps of a body", ad::explain(items, starts, xs, d)) == 1);
        }
        auto const [v, t] = directions(0.6, xs, d);
        auto const [w, u] = items(starts, xs, d);
        for (int i = 0; i < static_cast<int>(n); ++i) {
            auto const k = static_cast<std::size_t>(i);
            auto const one = ad::jvp<0>(value)(0.6, xs, d[k]), other = ad::jvp<0>(value)(starts[k], xs, d[k]);
            CHECK(std::abs(v(i) - one.value) < 1e-14);
            CHECK(std::abs(t(i) - one.tangent) < 1e-14);
            CHECK(std::abs(w(i) - other.value) < 1e-14);
            CHECK(std::abs(u(i) - other.tangent) < 1e-14);
        }
    }
}

TEST_CASE("vmap of jvp: items that end at different steps") {
    auto tangents = ad::vmap<0, 0, 0>(ad::jvp<0>(grown));
    for (int n = 1; n <= 11; ++n) {
        CAPTURE(n);
        ad::tensor<double, ad::dyn, 2> starts(n), directions(n);
        std::vector<double> limits(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) {
            starts(i, 0) = 0.1 + 0.05 * i, starts(i, 1) = 0.7 - 0.03 * i;
            directions(i, 0) = 1 - 0.1 * i, directions(i, 1) = 0.2 * i;
            limits[static_cast<std::size_t>(i)] = 0.2 + 0.4 * (i * 7 % 5);
        }
        auto const [v, t] = tangents(starts, limits, directions);
        for (int i = 0; i < n; ++i) {
            ad::tensor<double, 2> const start{starts(i, 0), starts(i, 1)}, d{directions(i, 0), directions(i, 1)};
            auto const one = ad::jvp<0>(grown)(start, limits[static_cast<std::size_t>(i)], d);
            CHECK(std::abs(v(i) - one.value) < 1e-13 * (1 + std::abs(one.value)));
            CHECK(std::abs(t(i) - one.tangent) < 1e-13 * (1 + std::abs(one.tangent)));
        }
    }
}

TEST_CASE("fold: the second and the third derivative, for which backward loops are recorded and run back themselves") {
    auto third = ad::value_and_grad<0>(curvature);
    for (std::size_t n : {0u, 1u, 2u, 5u}) {
        CAPTURE(n);
        std::vector<double> xs(n);
        fill(xs, 0.8, 0.7);
        series h{{0.6, 1, 0, 0}};
        for (double x : xs) {
            series const s = sin_of(h);
            for (int i = 0; i < 4; ++i) h.d[i] += x * s.d[i];
        }
        auto const [second, slope_of_it] = third(0.6, xs);
        CHECK(std::abs(second - sin_of(h).d[2]) < 1e-13);
        CHECK(std::abs(slope_of_it - sin_of(h).d[3]) < 1e-13);
    }
}

TEST_CASE("fold: tangents of carries beside carries that do not move") {
    std::vector<double> const xs{0.3, -0.7, 1.1};
    double scale = 1, h = 0.4, count = 0, k = 2, dh = 1, dk = 0;
    for (double x : xs) {
        double const next_h = h * k + scale * x, next_dh = dh * k + h * dk;
        dk += dh * count;
        k += h * count;
        h = next_h;
        dh = next_dh;
        scale /= 2;
        count += 1;
    }
    auto const [primal, tangent] = ad::jvp<0>(three_carries)(0.4, xs, 1.0);
    CHECK(std::abs(primal - h) < 1e-15);
    CHECK(std::abs(tangent - dh) < 1e-15);
}

TEST_CASE("scan: many loops at once go along their steps") {
    ad::tensor<double, 2, 3> const xs{{1, 2, 3}, {4, 5, 6}};
    auto const [last, stacked] = ad::vmap(sums)(ad::tensor<double, 2>{1, -1}, xs);
    CHECK(last == ad::tensor<double, 2>{19, 24});
    CHECK(stacked == ad::tensor<double, 2, 3>{{2, 5, 11}, {3, 7, 15}});
}
