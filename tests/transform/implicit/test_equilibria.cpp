// SPDX-License-Identifier: MIT
// fixed_point and argmin: what they find, and derivatives by the equation alone, beside long loops and closed forms.

#include <tapeless/tapeless.hpp>

#include <cmath>

#include "transform/calls/arrays.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

// ---- equilibria ----------------------------------------------------------------------------------------------------

/// A layer that is its own input.
constexpr auto equilibrium = [](auto w, auto x) {
    return ad::fixed_point([](auto z, auto v, auto y) { return tanh(matmul(v, z) + y); }, x, w, x);
};
constexpr auto energy = [](auto w, auto x) { return sum(square(equilibrium(w, x))); };
constexpr auto repeated = [](auto w, auto x) {
    return sum(square(ad::fold<200>([&](auto z) { return tanh(matmul(w, z) + x); }, x)));
};
constexpr auto many_energies = [](auto w, auto xs) { return sum(ad::vmap<ad::whole, 0>(energy)(w, xs)); };

// ---- minima -------------------------------------------------------------------------------------------------------

/// Ridge regression has a closed form: (aᵀ a + k) x = aᵀ y.
constexpr auto ridge = [](auto a, auto y, auto k) {
    return ad::argmin(
        [](auto x, auto m, auto t, auto c) { return 0.5 * sum(square(matmul(m, x) - t)) + 0.5 * c * sum(square(x)); },
        ad::let(0.0 * matmul(transpose(a), y)), a, y, k);
};
constexpr auto ridge_loss = [](auto a, auto y, auto k) { return sum(sin(ridge(a, y, k))); };
constexpr auto solved_loss = [](auto a, auto y, auto k, auto eye) {
    return sum(sin(ad::linalg::solve(matmul(transpose(a), a) + k * eye, matmul(transpose(a), y))));
};
/// Rosenbrock's valley, from the wrong side, where the Hessian is not positive.
constexpr auto valley = [](auto a, auto start) {
    return ad::argmin(
        [](auto x, auto c) {
            auto const p = ad::select<0>(x, 0), q = ad::select<0>(x, 1);
            return square(c - p) + 100.0 * square(q - square(p));
        },
        start, a);
};

/// There is no smallest value, and no curvature to go by.
constexpr auto slope_down = [](auto start, auto a) {
    return ad::argmin([](auto x, auto c) { return sum(c * x); }, start, a, {.max_steps = 20});
};

}  // namespace

TEST_CASE("fixed_point: an equilibrium, its gradients and second derivatives, and many of them with one matrix") {
    ad::tensor<double, 4, 4> w;
    fill(w, 0.25, 0.3);
    ad::tensor<double, 3, 4> xs;
    fill(xs, 1, 0.1);
    double sum_of = 0;
    ad::tensor<double, 4, 4> gradient{};
    for (int i = 0; i < 3; ++i) {
        ad::tensor<double, 4> x;
        for (int j = 0; j < 4; ++j) x(j) = xs(i, j);
        auto const [v, g] = ad::value_and_grad<0, 1>(energy)(w, x);
        auto const [u, f] = ad::value_and_grad<0, 1>(repeated)(w, x);
        CHECK(std::abs(v - u) < 1e-12);
        CHECK(distance(std::get<0>(g), std::get<0>(f)) < 1e-12);
        CHECK(distance(std::get<1>(g), std::get<1>(f)) < 1e-12);
        CHECK(distance(ad::hessian<1>(energy)(w, x), ad::hessian<1>(repeated)(w, x)) < 1e-11);
        sum_of += v;
        for (int k = 0; k < 16; ++k) gradient.data()[k] += std::get<0>(g).data()[k];
    }
    auto const [v, g] = ad::value_and_grad<0, 1>(many_energies)(w, xs);
    CHECK(std::abs(v - sum_of) < 1e-12);
    CHECK(distance(std::get<0>(g), gradient) < 1e-12);
    auto const turning = [](auto z) { return ad::fixed_point([](auto x, auto a) { return a - 3.0 * x; }, z, z); };
    CHECK_THROWS_AS(ad::evaluate(turning, 1.0), ad::convergence_error);
}

TEST_CASE("argmin: the closed form of ridge regression, and a valley that begins on a saddle") {
    ad::tensor<double, 5, 3> a;
    ad::tensor<double, 5> y;
    fill(a, 1, 0.2);
    fill(y, 1, 0.9);
    ad::tensor<double, 3, 3> const eye{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    auto const [v, g] = ad::value_and_grad<0, 1, 2>(ridge_loss)(a, y, 0.3);
    auto const [u, f] = ad::value_and_grad<0, 1, 2>(solved_loss)(a, y, 0.3, eye);
    CHECK(std::abs(v - u) < 1e-12);
    CHECK(distance(std::get<0>(g), std::get<0>(f)) < 1e-11);
    CHECK(distance(std::get<1>(g), std::get<1>(f)) < 1e-11);
    CHECK(std::abs(std::get<2>(g) - std::get<2>(f)) < 1e-11);
    CHECK(std::abs(ad::hessian<2>(ridge_loss)(a, y, 0.3) - ad::hessian<2>(solved_loss)(a, y, 0.3, eye)) < 1e-9);
    ad::tensor<double, 2> const start{-1.2, 1.0};
    for (double c : {1.0, -0.5, 2.0}) {
        auto const x = ad::evaluate(valley, c, start);
        CHECK(std::abs(x(0) - c) < 1e-9);
        CHECK(std::abs(x(1) - c * c) < 1e-9);
        auto const t = ad::jvp<0>(valley)(c, start, 1.0).tangent;
        CHECK(std::abs(t(0) - 1) < 1e-8);
        CHECK(std::abs(t(1) - 2 * c) < 1e-8);
    }
    CHECK_THROWS_AS(ad::evaluate(slope_down, start, start), ad::convergence_error);
}
