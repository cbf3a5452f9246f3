// SPDX-License-Identifier: MIT
// Loops whose steps hand on numbers, which stay in registers: the results are those of loops by hand.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

// h' = w + a x² + b h, and of each step log h + x² / h
constexpr auto likelihood = [](auto p, auto start, auto xs) {
    auto const w = ad::let(p[0]), a = ad::let(p[1]), b = ad::let(p[2]);
    auto const step = [&](auto h, auto x) { return std::pair(w + a * x * x + b * h, log(h) + x * x / h); };
    auto const [last, terms] = ad::scan(step, start, xs);
    return sum(terms) + 3.0 * last;
};
struct slopes {
    double value = 0, p[3]{}, start = 0;
    std::vector<double> x;
};
template <class X>
slopes by_hand(double const* p, double start, X const& x, std::size_t n) {
    std::vector<double> h(n + 1, start);
    slopes r;
    r.x.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        double const xi = static_cast<double>(x(i));
        h[i + 1] = p[0] + p[1] * xi * xi + p[2] * h[i];
        r.value += std::log(h[i]) + xi * xi / h[i];
    }
    r.value += 3 * h[n];
    double g = 3;
    for (std::size_t i = n; i-- > 0;) {
        double const xi = static_cast<double>(x(i));
        r.p[0] += g, r.p[1] += g * xi * xi, r.p[2] += g * h[i];
        r.x[i] = 2 * xi * (g * p[1] + 1 / h[i]);
        g = g * p[2] + 1 / h[i] - xi * xi / (h[i] * h[i]);
    }
    r.start = g;
    return r;
}
bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * (1 + std::abs(b)); }

}  // namespace

TEMPLATE_TEST_CASE("numbers: values and gradients of a scan by all it reads, of any length, dense and strided", "",
                   double, float) {
    using T = TestType;
    double const tolerance = sizeof(T) == 8 ? 1e-12 : 2e-5;
    auto step = ad::value_and_grad<0, 1, 2>(likelihood);
    ad::tensor<T, 3> const p{T(0.25), T(0.125), T(0.5)};
    double const exact[]{0.25, 0.125, 0.5};
    for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 17u, 64u}) {
        CAPTURE(n);
        std::vector<T> room(3 * n + 1);
        ad::tensor<T, ad::dyn> x(n);
        ad::view<T, ad::dyn> backwards(room.data() + 3 * n, n, std::array<std::ptrdiff_t, 1>{-3});
        for (std::size_t i = 0; i < n; ++i) x(i) = backwards(i) = static_cast<T>(std::sin(1.0 + 2.0 * double(i)));
        slopes const expected = by_hand(exact, 0.75, x, n);
        auto const check = [&](auto const& seen) {
            auto const [value, g] = step(p, T(0.75), seen);
            auto const& [by_p, by_start, by_x] = g;
            CHECK(near(value, expected.value, tolerance));
            for (std::size_t k = 0; k < 3; ++k) CHECK(near(by_p(k), expected.p[k], tolerance));
            CHECK(near(by_start, expected.start, tolerance));
            for (std::size_t i = 0; i < n; ++i) CHECK(near(by_x(i), expected.x[i], tolerance));
        };
        check(x);
        check(backwards);
    }
}

TEST_CASE("numbers: carries that change places are read before they are written") {
    auto pair = [](auto a, auto b) {
        return ad::fold<10>([](auto const& s) { return std::tuple(std::get<1>(s), std::get<0>(s) + std::get<1>(s)); },
                            std::tuple(a, b));
    };
    auto const [a, b] = ad::evaluate(pair, 0.0, 1.0);
    CHECK((a == 55 && b == 89));
    auto first = [](auto a0, auto b0) {
        return std::get<0>(ad::fold<10>(
            [](auto const& s) { return std::tuple(std::get<1>(s), std::get<0>(s) + std::get<1>(s)); },
            std::tuple(a0, b0)));
    };
    auto const [ga, gb] = ad::grad<0, 1>(first)(0.0, 1.0);
    CHECK((ga == 34 && gb == 55));
}

TEST_CASE("numbers: what steps leave is stacked in order, the last of it and the carry too, also over an argument") {
    auto running = [](auto c, auto x) {
        return ad::scan([](auto s, auto y) { return std::pair(s + y, 10.0 * s); }, c, x);
    };
    std::vector<double> x{1, 2, 3, 4, 5};
    auto call = ad::fused(running);
    auto const [last, stacked] = call(0.5, x);
    CHECK(last == 15.5);
    CHECK(std::vector<double>(stacked.begin(), stacked.end()) == std::vector<double>{5, 15, 35, 65, 105});
    double end = 0;
    call(ad::into(end, x), 0.5, x);
    CHECK(end == 15.5);
    CHECK(x == std::vector<double>{5, 15, 35, 65, 105});
}

TEST_CASE("numbers: no step at all hands on what came in") {
    auto f = [](auto c, auto x) { return ad::fold([](auto s, auto y) { return s * y; }, c, x); };
    auto const [value, g] = ad::value_and_grad<0>(f)(2.5, std::vector<double>{});
    CHECK((value == 2.5 && g == 1));
}

TEST_CASE("numbers: a loop that ends by itself, with a counter beside what it computes") {
    auto root = [](auto a) {
        auto const [x, n] = ad::while_loop([](auto const& s) { return abs(square(std::get<0>(s)) - 2.0) > 1e-12; },
                                           [&](auto const& s) {
                                               auto const& [y, k] = s;
                                               return std::tuple(0.5 * (y + 2.0 / y), k + 1.0);
                                           },
                                           std::tuple(a, 0.0 * a));
        return std::tuple(x, n);
    };
    auto const [x, n] = ad::evaluate(root, 1.0);
    double y = 1;
    int steps = 0;
    for (; std::abs(y * y - 2) > 1e-12; ++steps) y = 0.5 * (y + 2 / y);
    CHECK((x == y && n == steps));
}
