// SPDX-License-Identifier: MIT
// Symbols by name: any expression of their element type and shape becomes one, and so does a number; containers of
// them, assignment, and numbers that meet loops and gradients before anything else.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

using number = ad::symbol<double>;
using row = ad::tensor<double, 3>;
row const at{0.5, 1.0, 2.0};

/// The value of f at (0.5, 1, 2), and its gradient.
template <class F>
void check(F const& f, double value, row const& slopes) {
    auto const [v, g] = ad::value_and_grad(f)(at);
    CHECK(v == Approx(value).epsilon(1e-14));
    for (int i = 0; i < 3; ++i) CHECK(g(i) == Approx(slopes(i)).epsilon(1e-14));
}

}  // namespace

TEST_CASE("symbols: containers hold results of different operations") {
    check(
        [](auto x) {
            std::array<number, 4> y{1.0, x[0], x[1] * x[0]};
            y[3] = y[1] + y[2];
            return y[0] * y[3];
        },
        1.0, {2, 0.5, 0});
    check(
        [](auto x) {
            std::vector<number> v;
            v.push_back(x[0] * x[1]);
            v.emplace_back(x[1] + x[2]);
            v.push_back(v[0]);
            number s;
            for (auto const& e : v) s += e;
            return s;
        },
        4.0, {2, 2, 1});
    check(
        [](auto x) {
            std::vector<decltype(x)> layers{x};
            for (int i = 0; i < 3; ++i) layers.push_back(layers.back() * x);
            return sum(layers.back());
        },
        0.0625 + 1 + 16, {0.5, 4, 32});
    check(
        [](auto x) {
            number const m[2][2] = {{x[0], 1.0}, {x[1] * 2.0, x[2]}};
            return m[0][0] * m[1][1] - m[0][1] * m[1][0];
        },
        -1.0, {2, -2, 0.5});
    check(
        [](auto x) {
            std::pair<number, number> const p{x[0] * 2.0, 1};
            std::tuple<number, ad::symbol<double, 3>> const t{p.first + p.second, x * 2.0};
            return std::get<0>(t) * sum(std::get<1>(t));
        },
        14.0, {18, 4, 4});
    check(
        [](auto x) {
            struct state {
                number place, speed;
            };
            state s{x[0], x[1] * 1.0};
            for (int i = 0; i < 3; ++i) s = state{s.place + 0.1 * s.speed, s.speed - 0.1 * s.place};
            return s.place;
        },
        0.784, {0.97, 0.299, 0});
    check(
        [](auto x) {
            constexpr bool doubled = true;
            return doubled ? x[0] : 3.0 * x[1];
        },
        0.5, {1, 0, 0});
}

TEST_CASE("symbols: a number, or nothing, is where a sum starts") {
    check(
        [](auto x) {
            number s = 0.0;
            for (int i = 0; i < 3; ++i) s += x[i] * x[i];
            return s;
        },
        5.25, {1, 2, 4});
    check(
        [](auto x) {
            ad::symbol<double, 3> s, t = 2.0;
            for (int i = 0; i < 3; ++i) s += x * x[i];
            t *= x;
            return sum(s) + sum(t);
        },
        12.25 + 7, {9, 9, 9});
    check(
        [](auto x) {
            auto s = ad::let(x * x);
            s = 3.0;
            return sum(s * x);
        },
        10.5, {3, 3, 3});
    check([](auto) { return number(2.0); }, 2, {0, 0, 0});
    check([](auto x) { return sum(ad::stack(number(2.0), x[0])) + sum(where(x > 0.7, number(2.0), x)); }, 7.0,
          {2, 0, 0});
    CHECK(ad::evaluate(
              [](auto x) {
                  ad::symbol<double, ad::dyn> s = x;
                  s = 3.0;
                  return sum(s * x);
              },
              std::vector<double>{1, 2, 3, 4}) == 30);
}

TEST_CASE("symbols: numbers alone are computed while compiling") {
    check(
        [](auto x) {
            number a = 2.0, b = 3.0, c = a * b + 1.0;
            c *= 2;
            c -= b / a;
            return c * x[0];
        },
        6.25, {12.5, 0, 0});
    check([](auto x) { return x[ad::symbol<std::int32_t>(1)] + x[ad::symbol<std::int64_t>(1) + 1]; }, 3.0, {0, 1, 1});
    auto const halves = [](auto x) { return ad::symbol<std::int32_t>(2.7) * ad::let(cast<std::int32_t>(x)); };
    CHECK(ad::evaluate(halves, 3.5) == 6);
    auto const narrow = [](auto x) { return ad::symbol<float>(0.1) * x; };
    CHECK(ad::evaluate(narrow, 1.0f) == 0.1f);
}

TEST_CASE("symbols: numbers are carried by loops, chosen by branches, and arguments of derivatives") {
    check([](auto x) { return ad::fold([](auto c, auto e) { return c + e * e; }, number(), x); }, 5.25, {1, 2, 4});
    check(
        [](auto x) {
            auto const step = [](auto c, auto e) {
                auto const [p, q] = c;
                return std::tuple(p + e * q, number(3.0));
            };
            auto const [a, b] = ad::fold(step, std::tuple(number(2.0), x[0]), x);
            return a * b;
        },
        33.75, {3, 9, 9});
    check(
        [](auto x) {
            return ad::cond(
                x[0] > 0.0, [](auto a, auto b) { return a * b; }, [](auto, auto) { return number(7.0); }, number(2.0),
                x[1]);
        },
        2.0, {0, 2, 0});
    check(
        [](auto x) {
            return ad::cond(
                x[0] < 0.0, [](auto a, auto b) { return a * b; }, [](auto, auto) { return number(7.0); }, number(2.0),
                x[1]);
        },
        7.0, {0, 0, 0});
    check([](auto x) { return ad::grad([](auto a, auto b) { return a * a * b; })(number(2.0), x[0]); }, 2.0, {4, 0, 0});
    check([](auto x) { return ad::grad<1>([](auto, auto) { return number(7.0); })(number(2.0), x[0]); }, 0, {0, 0, 0});
    check(
        [](auto x) {
            auto const f = [](auto a, auto b) { return a * a * b; };
            return ad::jvp<0, 1>(f)(number(2.0), x[0], 1.0, 1.0).tangent;
        },
        6.0, {4, 0, 0});
    check([](auto x) { return sum(ad::jacobian<0>([](auto a, auto b) { return a * b; })(number(2.0), x)); }, 3.5,
          {1, 1, 1});
    check([](auto x) { return sum(ad::vmap<0, ad::whole>([](auto a, auto b) { return a * b; })(x, number(2.0))); }, 7.0,
          {2, 2, 2});
    check([](auto x) { return sum(ad::vmap([](auto) { return number(2.0); })(x)) * x[0]; }, 3.0, {6, 0, 0});
    check(
        [](auto x) {
            return ad::root([](auto y, auto a, auto k) { return y * y * k - a; }, number(1.0), x[2], number(2.0));
        },
        1.0, {0, 0, 0.25});
    check([](auto x) { return ad::checkpoint([](auto a, auto b) { return a * b; })(number(3.0), x[1]); }, 3.0,
          {0, 3, 0});
    check(
        [](auto x) {
            auto const low = [](auto c) { return std::get<0>(c) < 20.0; };
            auto const doubled = [](auto c) { return std::tuple(std::get<0>(c) * 2.0, std::get<1>(c) * number(1.5)); };
            return std::get<1>(ad::while_loop<10>(low, doubled, std::tuple(number(3.0), x[0])));
        },
        0.5 * 1.5 * 1.5 * 1.5, {3.375, 0, 0});
}
