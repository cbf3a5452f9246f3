// SPDX-License-Identifier: MIT
// Elements by index, by number and by integer symbols; arrays taken apart; extents as numbers.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto by_index = [](auto x, auto m) {  // x (3), m (3, 3)
    auto [a, b, c] = ad::unpack<3>(x);
    auto row = m[2];
    return a * b + m(0, 1) * c + square(x[2]) * row[0] + sum(m(1) * x) + (x + x)[-1];
};
constexpr auto running = [](auto x) {
    auto s = x[0];
    for (int i = 1; i < x.extent(0); ++i) s += i * x[i] * s;
    s -= 0.5;
    return s;
};
constexpr auto chosen = [](auto m, auto i) { return sum(square(ad::select<0>(m, i))) + m(i, 1) + m[i][i]; };
constexpr auto picked = [](auto m, auto i) { return ad::select<-1>(m, i) * m[argmax(m[0])][0]; };

template <class T>
void check_chosen() {
    ad::tensor<double, 3, 3> m{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    auto step = ad::value_and_grad<0>(chosen);
    for (T k = 0; k < 3; ++k) {
        auto const [value, g] = step(m, k);
        CHECK(value == m(k, 0) * m(k, 0) + m(k, 1) * m(k, 1) + m(k, 2) * m(k, 2) + m(k, 1) + m(k, k));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) CHECK(g(i, j) == (i == k ? 2 * m(i, j) + (j == 1) + (j == k) : 0));
    }
    for (T k : {T(-1), T(3)}) {
        std::string text;
        try {
            (void)step(m, k);
        } catch (ad::index_error const& e) {
            text = e.what();
        }
        CHECK(text.find("index " + std::to_string(k)) != std::string::npos);
        CHECK(text.find("argument 1") != std::string::npos);
    }
}

}  // namespace

TEST_CASE("elements: x[i], x(i, j) and unpack are numbers and rows") {
    ad::tensor<double, 3> x{0.5, -1.0, 2.0};
    ad::tensor<double, 3, 3> m{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    auto const [value, grads] = ad::value_and_grad<0, 1>(by_index)(x, m);
    auto const& [gx, gm] = grads;
    CHECK(value == 0.5 * -1.0 + 2 * 2.0 + 4 * 7 + (2.0 - 5 + 12) + 4.0);
    CHECK(gx(0) == -1.0 + 4);
    CHECK(gx(1) == 0.5 + 5);
    CHECK(gx(2) == 2 + 2 * 2.0 * 7 + 6 + 2);
    double const want[3][3] = {{0, 2.0, 0}, {0.5, -1.0, 2.0}, {4.0, 0, 0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) CHECK(gm(i, j) == want[i][j]);
    std::vector<double> v{1, 2, 3};  // lengths that run time knows
    ad::tensor<double, ad::dyn, ad::dyn> d(3, 3);
    for (int i = 0; i < 9; ++i) d.data()[i] = i;
    CHECK(ad::evaluate(by_index, v, d) == 1 * 2 + 1 * 3 + 9 * 6 + (3 + 8 + 15) + 6.0);
    CHECK_THROWS_AS(ad::evaluate(by_index, std::vector<double>{1, 2}, d), ad::shape_error);
}

TEST_CASE("elements: an element is a symbol that can be assigned to") {
    ad::tensor<double, 3> x{0.5, -1.0, 2.0};
    auto const [s, g] = ad::value_and_grad<0>(running)(x);  // x0 (1 + x1) (1 + 2 x2) - 0.5
    CHECK(s == 0.5 * 0 * 5 - 0.5);
    CHECK(g(0) == 0 * 5);
    CHECK(g(1) == 0.5 * 5);
    CHECK(g(2) == 0.5 * 0 * 2);
}

TEST_CASE("elements: an index that is an argument or computed, checked, with a gradient") {
    check_chosen<std::int32_t>();
    check_chosen<std::int64_t>();
    ad::tensor<double, 2, 3> m{{1, 9, 3}, {4, 5, 6}};
    auto const y = ad::evaluate(picked, m, 2);
    CHECK(y(0) == 3 * 4.0);
    CHECK(y(1) == 6 * 4.0);
    ad::tensor<double, 1, 3> one{{1, 9, 3}};  // argmax is 1, and there is one row
    CHECK_THROWS_AS(ad::evaluate(picked, one, 2), ad::index_error);
}

TEST_CASE("elements: extent and size are numbers of the compiler where they are static") {
    auto f = [](auto x) {
        static_assert(decltype(x)::size() == 6);
        auto flat = ad::reshape<decltype(x)::size()>(x);
        return sum(flat) / x.extent(1) + (x + x).size();
    };
    CHECK(ad::evaluate(f, ad::tensor<double, 2, 3>{{1, 2, 3}, {4, 5, 6}}) == 7 + 6);
}

TEST_CASE("elements: of joined arrays, under vmap, and in the steps of loops") {
    auto f = [](auto x) { return ad::concat<0>(x, 2.0 * x)[3] + ad::stack<0>(x, x)(1, 0); };
    CHECK(ad::evaluate(f, ad::tensor<double, 2>{3, 5}) == 13);
    auto rows = [](auto m) { return ad::vmap([](auto r) { return r[0] * r[1] - r[2]; })(m); };
    ad::tensor<double, 4, 3> m{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    auto const y = ad::evaluate(rows, m);
    for (int i = 0; i < 4; ++i) CHECK(y(i) == m(i, 0) * m(i, 1) - m(i, 2));
    auto pairs = [](auto s, auto xs) {
        return sum(ad::fold([](auto state, auto x) { return ad::stack<0>(state[1] + x, state[0] * x); }, s, xs));
    };
    ad::tensor<double, 2> s{1, 2};
    ad::tensor<double, 3> xs{0.5, 1.5, -1};
    auto const g = ad::grad<0>(pairs)(s, xs);
    double a = 1, b = 2;
    auto run = [&](double p, double q) {
        for (double x : xs) {
            double const t = q + x;
            q = p * x, p = t;
        }
        return p + q;
    };
    CHECK(g(0) == Approx((run(a + 1e-5, b) - run(a - 1e-5, b)) / 2e-5));
    CHECK(g(1) == Approx((run(a, b + 1e-5) - run(a, b - 1e-5)) / 2e-5));
}

TEST_CASE("whole numbers: an integer scalar beside floating-point arrays is one of their type") {
    std::vector<double> x{1, 2, 4};
    auto f = [](auto v, auto n) { return sum(n * v) / n + sum(where(v > n, v, n)) + n * sum(v); };
    auto const [value, g] = ad::value_and_grad<0>(f)(x, 2);
    CHECK(value == 7 + 8 + 14);
    CHECK(g == std::vector<double>{3, 3, 4});
    auto const y = ad::evaluate([](auto v, auto n) { return ad::cast<float>(v) * n; }, x, std::int64_t{3});
    static_assert(std::is_same_v<std::remove_const_t<decltype(y)>, ad::tensor<float, ad::dyn>>);
    CHECK(y(1) == 6);
    auto const whole = ad::evaluate([](auto n) { return n * 3 + n; }, 2);
    static_assert(std::is_same_v<std::remove_const_t<decltype(whole)>, int>);
    CHECK(whole == 8);
}
