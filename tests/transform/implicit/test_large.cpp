// SPDX-License-Identifier: MIT
// Equations with many unknowns: linear systems by products alone, and repetition that learns from earlier steps.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "transform/calls/arrays.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// A chain in which each unknown depends on its neighbours, not equally on both.
template <ad::linear_method Method>
constexpr auto chain = [](auto c, auto f) {
    auto const equation = [](auto u, auto k, auto g) {
        auto const left = ad::pad<1, 0>(ad::slice<0, 0, -1>(u));
        auto const right = ad::pad<0, 1>(ad::slice<0, 1, ad::to_end>(u));
        return 2.5 * u - left - 0.8 * right + k * exp(u) - g;
    };
    return ad::root(equation, 0.0 * f, c, f, {.linear = Method});
};
constexpr auto by_products = [](auto c, auto f) { return sum(square(chain<ad::linear_method::gmres>(c, f))); };
constexpr auto by_matrix = [](auto c, auto f) { return sum(square(chain<ad::linear_method::direct>(c, f))); };

/// Two unknowns on a circle and a line: there are none where the line is too far away.
constexpr auto crossing = [](auto far) {
    auto const equation = [](auto z, auto d) {
        auto const x = ad::select<0>(z, 0), y = ad::select<0>(z, 1);
        return ad::stack<0>(x * x + y * y - 1.0, x + y - d);
    };
    return ad::root(equation, ad::stack<0>(1.0 + 0.0 * far, 0.0 * far), far,
                    {.max_steps = 40, .linear = ad::linear_method::gmres});
};

/// x = b + k sin(T x), where T mixes neighbours: about k to the power of the steps is what is left without help.
constexpr auto mixed = [](auto z) {
    return ad::let(0.5 * z + 0.5 * ad::concat<0>(ad::slice<0, 1, ad::to_end>(z), ad::slice<0, 0, 1>(z)));
};
template <int Depth>
constexpr auto shifted = [](auto b, auto k) {
    auto const next = [](auto z, auto c, auto r) {
        return c + r * sin(mixed(z));
    };
    return ad::fixed_point(next, 0.0 * b, b, k, {.max_steps = 60, .anderson = Depth});
};
constexpr auto helped = [](auto b, auto k) { return sum(square(shifted<4>(b, k))); };
constexpr auto repeated = [](auto b, auto k) {
    return sum(square(ad::fold<900>([&](auto z) { return b + k * sin(mixed(z)); }, 0.0 * b)));
};

}  // namespace

TEST_CASE("root: by products alone it finds what the matrix finds, with the same derivatives, of any number") {
    auto products = ad::value_and_grad<0, 1>(by_products);
    auto matrix = ad::value_and_grad<0, 1>(by_matrix);
    auto tangent = ad::jvp<0>(by_products);
    auto second = ad::hessian<0>(by_products);
    for (int n : {1, 2, 5, 24, 25, 60}) {
        CAPTURE(n);
        ad::tensor<double, ad::dyn> f(n);
        for (int i = 0; i < n; ++i) f(i) = std::sin(0.3 * i + 0.1);
        auto const [v, g] = products(0.4, f);
        auto const [u, h] = matrix(0.4, f);
        CHECK(std::abs(v - u) < 1e-11 * (1 + u));
        CHECK(std::abs(std::get<0>(g) - std::get<0>(h)) < 1e-9);
        CHECK(distance(std::get<1>(g), std::get<1>(h)) < 1e-9);
        CHECK(std::abs(tangent(0.4, f, 1.0).tangent - std::get<0>(h)) < 1e-9);
        double const d = 1e-4, by_c = std::get<0>(matrix(0.4 + d, f).grad) - std::get<0>(matrix(0.4 - d, f).grad);
        CHECK(std::abs(second(0.4, f) - by_c / (2 * d)) < 1e-5 * (1 + std::abs(by_c / d)));
    }
}

TEST_CASE("root: by products, each item by itself; isnan says which were not found") {
    ad::tensor<double, 4> const far{1.2, 0.5, 3.0, -0.7};  // 3 is beyond the circle
    auto const found = ad::evaluate(
        [](auto d) { return cast<double>(!isnan(ad::select<1>(ad::vmap(crossing)(d), 0))); }, far);
    auto const [z, t] = ad::jvp<0>(ad::vmap(crossing))(far, ad::tensor<double, 4>{1, 1, 1, 1});
    for (int i = 0; i < 4; ++i) {
        CHECK(found(i) == (i != 2));
        if (i == 2) {
            CHECK(std::isnan(z(i, 0)));
            continue;
        }
        double const x = z(i, 0), y = z(i, 1);
        CHECK(std::abs(x * x + y * y - 1) < 1e-12);
        CHECK(std::abs(x + y - far(i)) < 1e-12);
        CHECK(std::abs(x * t(i, 0) + y * t(i, 1)) < 1e-9);  // along the circle
        CHECK(std::abs(t(i, 0) + t(i, 1) - 1) < 1e-9);
    }
}

TEST_CASE("fixed_point: with Anderson's acceleration fewer steps are enough, and derivatives are the same") {
    ad::tensor<double, 6> b;
    fill(b, 0.2, 0.4);
    CHECK_THROWS_AS(ad::evaluate(shifted<0>, b, 0.97), ad::convergence_error);
    auto const z = ad::evaluate(shifted<4>, b, 0.97);
    for (int i = 0; i < 6; ++i) CHECK(std::abs(z(i) - b(i) - 0.97 * std::sin(0.5 * (z(i) + z((i + 1) % 6)))) < 1e-11);
    auto const [v, g] = ad::value_and_grad<0, 1>(helped)(b, 0.97);
    auto const [u, h] = ad::value_and_grad<0, 1>(repeated)(b, 0.97);
    CHECK(std::abs(v - u) < 1e-10);
    CHECK(distance(std::get<0>(g), std::get<0>(h)) < 1e-8);
    CHECK(std::abs(std::get<1>(g) - std::get<1>(h)) < 1e-8);
}
