// SPDX-License-Identifier: MIT
// Short arrays that are put together and taken apart: one loop, the same values and derivatives, for many items too.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// Three steps of a rotation whose rate depends on the place, with a sum and the largest of the elements.
constexpr auto turned = [](auto s, auto rate) {
    auto const slope = [&](auto z) {
        auto const x = ad::select<0>(z, 0), y = ad::select<0>(z, 1), v = ad::select<0>(z, 2);
        return ad::let(ad::stack<0>(-rate * y, rate * x + v, x * y * v));
    };
    auto const k1 = slope(s);
    auto const k2 = slope(ad::let(s + 0.5 * k1));
    auto const end = ad::let(s + 0.25 * (k1 + k2) * sum(k1) - max(k2));
    return ad::let(2.0 * end + slope(end));
};
constexpr auto total = [](auto s, auto rate) { return sum(square(turned(s, rate))); };
constexpr auto many = [](auto s, auto rate) { return sum(ad::vmap<0, ad::whole>(total)(s, rate)); };

struct vector3 {
    double v[3];
};
vector3 slope_of(vector3 const& z, double rate) {
    return {{-rate * z.v[1], rate * z.v[0] + z.v[2], z.v[0] * z.v[1] * z.v[2]}};
}
double plain(vector3 const& s, double rate) {
    vector3 const k1 = slope_of(s, rate);
    vector3 half, end;
    for (int i = 0; i < 3; ++i) half.v[i] = s.v[i] + 0.5 * k1.v[i];
    vector3 const k2 = slope_of(half, rate);
    double const all = k1.v[0] + k1.v[1] + k1.v[2], most = std::max({k2.v[0], k2.v[1], k2.v[2]});
    for (int i = 0; i < 3; ++i) end.v[i] = s.v[i] + 0.25 * (k1.v[i] + k2.v[i]) * all - most;
    vector3 const k3 = slope_of(end, rate);
    double r = 0;
    for (int i = 0; i < 3; ++i) r += (2 * end.v[i] + k3.v[i]) * (2 * end.v[i] + k3.v[i]);
    return r;
}

/// Parts of several elements, one of them added to, and every other one taken.
constexpr auto parts = [](auto x, auto y) {
    auto const z = ad::let(ad::concat<0>(x, y * y, x));
    auto const w = ad::let(3.0 * ad::slice<0, 1, 6, 2>(z) + 1.0);
    return ad::select<0>(w, 0) * ad::select<0>(w, 1) + ad::select<0>(w, 2) + sum(w);
};

}  // namespace

TEST_CASE("by element: what is put together and taken apart is one loop, with the values and slopes of plain numbers") {
    using row = ad::tensor<double, 3>;
    row const s{0.3, -0.7, 1.1};
    double const rate = 0.9, h = 1e-6;
    auto const [v, g] = ad::value_and_grad<0, 1>(total)(s, rate);
    CHECK(std::abs(v - plain({{0.3, -0.7, 1.1}}, rate)) < 1e-14);
    for (int i = 0; i < 3; ++i) {
        vector3 up{{0.3, -0.7, 1.1}}, down = up;
        up.v[i] += h, down.v[i] -= h;
        CHECK(std::abs(std::get<0>(g)(i) - (plain(up, rate) - plain(down, rate)) / (2 * h)) < 1e-8);
    }
    CHECK(ad::check_gradient<0, 1>(total, s, rate).passed);
    [[maybe_unused]] constexpr auto step = ad::fused(turned);
#if !defined(__clang__)  // where fewer nodes go by element: its limit of steps
    static_assert(step.plan<row, double>().kernels() == 1);
    static_assert(step.plan<row, double>().workspace_bytes() == 0);
#endif
}

TEST_CASE("by element: many items, of any number") {
    for (int n : {0, 1, 2, 3, 4, 5, 9, 33}) {
        ad::tensor<double, ad::dyn, 3> s(n);
        for (int i = 0; i < 3 * n; ++i) s.data()[i] = std::sin(1.3 * i);
        auto const [v, g] = ad::value_and_grad<0>(many)(s, 0.9);
        double should = 0;
        for (int i = 0; i < n; ++i) {
            ad::tensor<double, 3> const item{s(i, 0), s(i, 1), s(i, 2)};
            auto const [one, slope] = ad::value_and_grad<0>(total)(item, 0.9);
            CHECK(std::abs(one - plain({{s(i, 0), s(i, 1), s(i, 2)}}, 0.9)) < 1e-13);
            should += one;
            for (int k = 0; k < 3; ++k) CHECK(std::abs(g(i, k) - slope(k)) < 1e-12);
        }
        CHECK(std::abs(v - should) < 1e-12);
    }
}

TEST_CASE("by element: slices of several elements, with steps") {
    ad::tensor<double, 2> const x{0.5, -1.2}, y{1.5, 0.3};
    double const a = 3 * -1.2 + 1, b = 3 * 0.09 + 1, c = 3 * -1.2 + 1;  // elements 1, 3 and 5 of x, y y, x
    CHECK(std::abs(ad::evaluate(parts, x, y) - (a * b + c + a + b + c)) < 1e-14);
    CHECK(ad::check_gradient<0, 1>(parts, x, y).passed);
}

TEST_CASE("by element: a mask that is needed by element and as a whole is computed both ways") {
    auto const check = [](auto const& f, auto const& x, double value, auto const& slopes) {
        auto const [v, g] = ad::value_and_grad(f)(x);
        CHECK(v == value);
        for (int i = 0; i < 3; ++i) CHECK(g(i) == slopes(i));
    };
    ad::tensor<double, 3> const at{0.5, 1.0, 2.0};
    check([](auto x) { return sum(where(x > 0.7, x[0], x)); }, at, 1.5, ad::tensor<double, 3>{3, 0, 0});
    check([](auto x) { return sum(where(x > 0.7 && x < 1.5, x[0] * x[2], x)); }, at, 3.5,
          ad::tensor<double, 3>{3, 0, 1.5});
    check([](auto x) { return sum(ad::stack(2.0, x[0], x[1])) + sum(where(!(x > 0.7), 2.0, x)); }, at, 8.5,
          ad::tensor<double, 3>{1, 2, 1});
    check([](auto x) { return sum(where(x * x > 0.7, x[1], x * x)); }, ad::tensor<float, 3>{0.5f, 1.0f, 2.0f}, 2.25,
          ad::tensor<float, 3>{1, 2, 0});
}
