// SPDX-License-Identifier: MIT
// Arrays of a few numbers that are put together from single ones: they are computed with number by number, and come to
// what arrays come to.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

// a pendulum on a cart, by classical Runge-Kutta steps: as an array of elements, and as a tuple
constexpr auto acceleration = [](auto v, auto angle, auto turn, auto force) {
    auto c = ad::let(cos(angle)), s = ad::let(sin(angle)), d = ad::let(1.0 + 0.1 * s * s);
    return std::tuple(v, ad::let((force + 0.1 * s * (0.5 * turn * turn + 9.81 * c)) / d), turn,
                      ad::let((-force * c - 0.05 * turn * turn * c * s - 10.8 * s) / (0.5 * d)));
};
constexpr auto slope = [](auto x, auto force) {
    auto [a, b, c, d] = acceleration(x[1], x[2], x[3], force);
    return ad::stack<0>(a, b, c, d);
};
constexpr auto array_step = [](auto x, auto force) {
    auto k1 = ad::let(slope(x, force)), k2 = ad::let(slope(x + 0.01 * k1, force)),
         k3 = ad::let(slope(x + 0.01 * k2, force)), k4 = ad::let(slope(x + 0.02 * k3, force));
    return x + 0.02 / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
};
constexpr auto array_cost = [](auto x, auto forces) {
    return sum(square(ad::fold(array_step, x, forces))) + 0.01 * sum(square(forces));
};

constexpr auto moved = [](auto const& x, double h, auto const& k) {
    return std::apply([&](auto const&... a) {
        return std::apply([&](auto const&... b) { return std::tuple(ad::let(a + h * b)...); }, k);
    }, x);
};
constexpr auto tuple_slope = [](auto const& x, auto force) {
    return acceleration(std::get<1>(x), std::get<2>(x), std::get<3>(x), force);
};
constexpr auto tuple_step = [](auto const& x, auto force) {
    auto k1 = tuple_slope(x, force), k2 = tuple_slope(moved(x, 0.01, k1), force),
         k3 = tuple_slope(moved(x, 0.01, k2), force), k4 = tuple_slope(moved(x, 0.02, k3), force);
    return moved(moved(moved(moved(x, 0.02 / 6, k1), 0.02 / 3, k2), 0.02 / 3, k3), 0.02 / 6, k4);
};
constexpr auto tuple_cost = [](auto x, auto forces) {
    auto const [a, b, c, d] = ad::fold(tuple_step, std::tuple(x[0], x[1], x[2], x[3]), forces);
    return a * a + b * b + c * c + d * d + 0.01 * sum(square(forces));
};

/// n numbers put together, and computed with in every way.
template <int N>
struct stacked_numbers {
    constexpr auto operator()(auto x, auto y, auto s) const {
        return [&]<int... I>(std::integer_sequence<int, I...>) {
            auto a = ad::let(ad::stack<0>(sin(x[I] * x[(I + 1) % N])...));
            auto b = ad::let(a * y + s - 2.0);           // beside an array and a number
            auto c = where(s > 0.0, b, a) / (2.0 + square(a));
            auto d = where(b > a, c, 0.5 * b);           // beside a mask of elements
            auto e = ad::let(ad::concat<0>(ad::slice<0, 0, 1>(d), ad::slice<0, 1, ad::to_end>(b)));
            return sum(d * e) + b[N - 1] * sum(e) + sum(ad::softmax(b) * y) + max(e);
        }(std::make_integer_sequence<int, N>{});
    }
};

template <class T, int N>
ad::tensor<T, N> numbers(double seed) {
    ad::tensor<T, N> x;
    for (std::size_t i = 0; i < static_cast<std::size_t>(N); ++i)
        x(i) = static_cast<T>(std::sin(seed + 1.3 * static_cast<double>(i)));
    return x;
}

}  // namespace

TEST_CASE("small stacks: a state of elements is computed with as a tuple of numbers is") {
    ad::tensor<double, 4> const x{0.1, 0, 0.3, -0.2};
    auto forces = std::vector<double>{0.1, -0.2, 0.3, 0.5, 0};
    auto const [value, g] = ad::value_and_grad<0, 1>(array_cost)(x, forces);
    auto const [expected, h] = ad::value_and_grad<0, 1>(tuple_cost)(x, forces);
    CHECK(value == Approx(expected).epsilon(1e-14));
    for (std::size_t i = 0; i < 4; ++i) CHECK(std::get<0>(g)(i) == Approx(std::get<0>(h)(i)).epsilon(1e-12));
    for (std::size_t i = 0; i < 5; ++i) CHECK(std::get<1>(g)[i] == Approx(std::get<1>(h)[i]).epsilon(1e-12));
    // no step of the loop has loops of its own, nor arrays that are written to be taken apart
    std::string const plan = ad::explain(ad::value_and_grad<1>(array_cost), x, forces);
    auto const body = plan.find("body  ");
    REQUIRE(body != std::string::npos);
    std::string const step = plan.substr(body, plan.find("\nkernel", body) - body);
    CHECK(step.find("loop over (4)") == std::string::npos);
    CHECK(step.find("workspace 0 B") != std::string::npos);
    CHECK(step.find("other axes") == std::string::npos);
}

TEST_CASE("small stacks: in every operation, up to and beyond the length that is taken apart") {
    CHECK(oracle::agree<0, 1, 2>(stacked_numbers<3>{}, numbers<float, 3>(0.2), numbers<float, 3>(0.9), -0.7f) == "");
    CHECK(oracle::agree<0, 1, 2>(stacked_numbers<8>{}, numbers<double, 8>(0.2), numbers<double, 8>(0.9), 0.7) == "");
    // the next one stays an array
    CHECK(oracle::agree(stacked_numbers<9>{}, numbers<double, 9>(0.2), numbers<double, 9>(0.9), -0.7) == "");
}

TEST_CASE("small stacks: of numbers that turn out to be constants") {
    auto const f = [](auto x, auto v) {
        auto a = ad::let(ad::stack<0>(1.0 + 0.0 * x, 0.0 * x, x));
        auto b = ad::let(ad::stack<0>(0.0 * x, 1.0 + 0.0 * x));
        auto c = ad::let(ad::concat<0>(0.0 * v, v, ad::stack<0>(0.0 * x, 2.0 + 0.0 * x)));
        return sum(a * a) + sum(b) + b[1] + sum(c * c);
    };
    auto const [value, g] = ad::value_and_grad<0>(f)(2.0, std::vector<double>{1, 2, 3});
    CHECK(value == 25);  // (1 + 4) + 1 + 1 + (14 + 4)
    CHECK(g == 4);
    auto const rolled = [](auto x) { return sum(ad::roll<0>(ad::unsqueeze<0>(2.0 + 0.0 * x), 1)) + x; };
    CHECK(ad::evaluate(rolled, 3.0) == 5);
}
