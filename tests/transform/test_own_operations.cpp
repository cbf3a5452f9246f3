// SPDX-License-Identifier: MIT
// stop_gradient, with_pullback, operations of one's own, and cast.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

struct softsign_op : ad::elementwise<"softsign"> {
    static auto eval(auto x) { return x / (1 + ad::simd::abs(x)); }
    static constexpr auto pullback(auto g, auto, auto x) { return ad::cotangents(g / square(1.0 + abs(x))); }
};
constexpr auto softsign(ad::expression auto const& x) { return ad::apply<softsign_op>(x); }

constexpr auto once = [](auto v, auto s) { return sum(softsign(v * s)); };
constexpr auto twice = [](auto v, auto s) { return sum(square(ad::grad<0>(once)(v, s))); };

/// Two operands; the second gets no gradient.
struct scaled_op : ad::elementwise<"scaled"> {
    static auto eval(auto x, auto s) { return x * s; }
    static constexpr auto pullback(auto g, auto, auto, auto s) { return ad::cotangents(g * s, ad::no_cotangent{}); }
};

constexpr auto log1pexp = ad::with_pullback([](auto x) { return log(1.0 + exp(x)); },
                                            [](auto g, auto, auto x) { return ad::cotangents(g * sigmoid(x)); });
constexpr auto reversed =
    ad::with_pullback([](auto x, auto y) { return x * y; },
                      [](auto g, auto, auto x, auto y) { return ad::cotangents(-g * y, 10.0 * g * x); });

}  // namespace

TEST_CASE("stop_gradient: the value comes through and nothing flows back") {
    std::vector<double> const x{1, 2, 3};
    auto const [value, g] = ad::value_and_grad<0>([](auto v) { return sum(v * stop_gradient(v)); })(x);
    CHECK(value == 14);
    CHECK(g == x);
    CHECK(ad::grad<0>([](auto v) { return sum(stop_gradient(exp(v))); })(x) == std::vector<double>(3, 0.0));
}

TEMPLATE_TEST_CASE("elementwise: an operation of one's own fuses, broadcasts and differentiates twice", "", double,
                   float) {
    std::vector<TestType> x(37);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<TestType>(std::sin(0.7 * static_cast<double>(i)) * 2 + 0.1);
    TestType const w = static_cast<TestType>(1.3);
    CHECK(ad::check_gradient<0, 1>(once, x, w).passed);
    CHECK(ad::check_gradient<0, 1>(twice, x, w).passed);
}

TEST_CASE("elementwise: an operand may have no cotangent") {
    auto const [dx, ds] =
        ad::grad<0, 1>([](auto x, auto s) { return sum(ad::apply<scaled_op>(x, s)); })(std::vector<double>{1, 2}, 3.0);
    CHECK(dx == std::vector<double>{3, 3});
    CHECK(ds == 0);
}

TEST_CASE("with_pullback: the rule is used in place of the function's own derivative") {
    std::vector<double> const x{-1, 0.5, 800};
    auto const g = ad::grad<0>([](auto v) { return sum(log1pexp(v)); })(x);  // its own would be inf/inf at 800
    CHECK(std::abs(g[0] - 1 / (1 + std::exp(1.0))) < 1e-15);
    CHECK(g[2] == 1);
    auto const [dx, dy] = ad::grad<0, 1>([](auto a, auto b) { return sum(reversed(a, b)); })(std::vector<double>{1, 2},
                                                                                             std::vector<double>{3, 4});
    CHECK(dx == std::vector<double>{-3, -4});
    CHECK(dy == std::vector<double>{10, 20});
}

TEST_CASE("with_pullback: an argument that is computed passes the rule's cotangent on") {
    auto const g = ad::grad<0>([](auto a) { return sum(reversed(2.0 * a, 3.0 * a)); })(std::vector<double>{1, 2});
    CHECK(g == std::vector<double>{2 * -3 + 3 * 20, 2 * -6 + 3 * 40});
}

TEST_CASE("cast: float and double in one function, and each gradient has its argument's type") {
    std::vector<float> const x{1, 2, 3, 4, 5, 6, 7};
    std::vector<double> const w{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
    auto const [value, grads] =
        ad::value_and_grad<0, 1>([](auto a, auto b) { return sum(ad::cast<double>(a) * b); })(x, w);
    auto const& [dx, dw] = grads;
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(dx)>, std::vector<float>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(dw)>, std::vector<double>>);
    CHECK(std::abs(value - 14.0) < 1e-14);
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(dx[i] == static_cast<float>(w[i]));
        CHECK(dw[i] == static_cast<double>(x[i]));
    }
    auto const down = ad::grad<1>([](auto a, auto b) { return sum(a * ad::cast<float>(b)); })(x, w);
    CHECK(down == std::vector<double>{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("cast: integers become numbers") {
    std::vector<std::int64_t> const n{1, -2, 3};
    auto const y = ad::evaluate([](auto a) { return 0.5 * ad::cast<double>(a); }, n);
    CHECK(y == ad::tensor<double, 3>{0.5, -1, 1.5});
}
