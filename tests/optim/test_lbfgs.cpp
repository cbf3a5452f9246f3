// SPDX-License-Identifier: MIT
// lbfgs: what it finds, why it ends, and its line search.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;
using ad::optim::lbfgs_reason;

namespace {

constexpr auto rosenbrock = [](auto const& p) {
    auto const& [x, y] = p;
    return 100.0 * square(y - square(x)) + square(1.0 - x);
};
/// sum of c_i (x_i - i)^2 / 2 with c from 1 to 10: by hand, and counted.
struct bowl {
    int calls = 0;
    auto operator()(auto const& p, auto& g) {
        ++calls;
        double sum = 0;
        double i = 0;
        auto to = g.begin();
        for (auto const x : p) {
            double const c = std::pow(10, i / 18), d = static_cast<double>(x) - i;
            *to++ = static_cast<std::remove_cvref_t<decltype(x)>>(c * d);
            sum += c * d * d / 2;
            ++i;
        }
        return static_cast<std::remove_cvref_t<decltype(*p.begin())>>(sum);
    }
};

}  // namespace

TEST_CASE("lbfgs: Rosenbrock's valley, from the usual start and a tree, to 1e-10") {
    std::tuple model(-1.2, 1.0);
    ad::optim::lbfgs optimizer(model, {.gradient_tolerance = 1e-10});
    auto const report = optimizer.minimize(model, ad::value_and_grad<0>(rosenbrock));
    CHECK(report.converged());
    CHECK(report.reason == lbfgs_reason::gradient);
    CHECK(report.max_gradient <= 1e-10);
    CHECK(std::abs(std::get<0>(model) - 1) < 1e-10);
    CHECK(std::abs(std::get<1>(model) - 1) < 1e-10);
    CHECK(report.value < 1e-20);
    CHECK(report.iterations < 60);
    CHECK(report.evaluations < 80);
}

TEST_CASE("lbfgs: step() goes on where it stopped, with the curvature it has seen") {
    std::tuple a(-1.2, 1.0), b = a;
    auto f = ad::value_and_grad<0>(rosenbrock);
    ad::optim::lbfgs whole(a, {.max_iterations = 20}), single(b);
    auto const report = whole.minimize(a, f);
    CHECK(report.reason == lbfgs_reason::iterations);
    CHECK(report.iterations == 20);
    CHECK(!report.converged());
    for (int i = 0; i < 20; ++i) CHECK(single.step(b, f).iterations == 1);
    CHECK(a == b);
    single.forget();
    ad::optim::lbfgs fresh(b);
    auto c = b;
    (void)single.step(b, f);
    (void)fresh.step(c, f);
    CHECK(b == c);
}

TEST_CASE("lbfgs: a quadratic is minimised in few evaluations, in double, float, half and through strides") {
    auto const expect = [](auto& model, double tolerance, ad::optim::lbfgs_options const& o) {
        bowl f;
        ad::optim::lbfgs optimizer(model, o);
        auto const report = optimizer.minimize(model, f);
        CHECK(report.evaluations == f.calls);
        CHECK(report.evaluations < 60);
        double i = 0, worst = 0;
        for (auto const x : model) worst = std::max(worst, std::abs(static_cast<double>(x) - i++));
        CHECK(worst <= tolerance);
        return report;
    };
    std::vector<double> x(19, 5.0);
    CHECK(expect(x, 1e-10, {.gradient_tolerance = 1e-10}).reason == lbfgs_reason::gradient);
    std::vector<float> narrow(19, 5.0f);
    CHECK(expect(narrow, 1e-4, {}).reason != lbfgs_reason::not_finite);
    std::vector<ad::half> narrower(7, ad::half(5));
    (void)expect(narrower, 0.01, {});
    std::vector<double> memory(38, -7.0);
    ad::view<double, dyn> v(memory.data() + 36, 19, std::array<std::ptrdiff_t, 1>{-2});
    CHECK(expect(v, 1e-10, {.gradient_tolerance = 1e-10}).converged());
    CHECK(std::count(memory.begin(), memory.end(), -7.0) == 19);
}

TEST_CASE("lbfgs: a model in the user's own memory, as a tuple of spans, with arguments") {
    std::vector<double> w{0, 0}, b{0};
    auto const f = [](auto const&, auto& g, double target) {
        std::get<0>(g)(0) = std::get<0>(g)(1) = 0;
        std::get<1>(g)(0) = -target;
        return 0.0;
    };
    auto const quadratic = [&](auto const& m, auto& g, double target) {
        auto const& [p, q] = m;
        double const c = q[0] - target;
        std::get<0>(g)(0) = p[0] - 1, std::get<0>(g)(1) = p[1] + 2;
        std::get<1>(g)(0) = c;
        return ((p[0] - 1) * (p[0] - 1) + (p[1] + 2) * (p[1] + 2) + c * c) / 2;
    };
    std::tuple model{std::span<double>(w), std::span<double>(b)};
    ad::optim::lbfgs optimizer(model);
    CHECK(optimizer.minimize(model, quadratic, 7.0).converged());
    CHECK(std::abs(w[0] - 1) < 1e-7);
    CHECK(std::abs(w[1] + 2) < 1e-7);
    CHECK(std::abs(b[0] - 7) < 1e-7);
    // a value that never falls although the gradient says so: nothing is found, and the model is as it was
    auto const before = b;
    CHECK(optimizer.minimize(model, f, 1.0).reason == lbfgs_reason::line_search);
    CHECK(b == before);
}

TEST_CASE("lbfgs: why it ends") {
    auto const reason = [](auto f, ad::optim::lbfgs_options const& o = {}) {
        double x = 3;
        return ad::optim::lbfgs(x, o).minimize(x, f).reason;
    };
    auto const square = [](double x, double& g) { return g = 2 * x, x * x; };
    auto const quartic = [](double x, double& g) { return g = 4 * x * x * x, 1 + x * x * x * x; };
    CHECK(reason(square) == lbfgs_reason::gradient);
    CHECK(reason(quartic, {.gradient_tolerance = 0, .change_tolerance = 1e-6}) == lbfgs_reason::change);
    CHECK(reason(quartic, {.max_iterations = 0}) == lbfgs_reason::iterations);
    CHECK(reason(quartic, {.max_evaluations = 3}) == lbfgs_reason::evaluations);
    CHECK(reason([](double, double& g) { return g = 1, std::numeric_limits<double>::quiet_NaN(); }) ==
          lbfgs_reason::not_finite);
    CHECK(reason([](double x, double& g) { return g = -1, x; }) == lbfgs_reason::line_search);  // a wrong sign
    CHECK(std::string(to_string(lbfgs_reason::gradient)).find("gradient") != std::string::npos);
    std::vector<double> none;
    CHECK(ad::optim::lbfgs(none).minimize(none, bowl{}).reason == lbfgs_reason::gradient);
}

TEST_CASE("lbfgs: where nothing lower was found the model is as it was") {
    double x = 3;
    auto const uphill = [](double p, double& g) { return g = -1, p; };
    auto const report = ad::optim::lbfgs(x, {.max_evaluations = 3}).minimize(x, uphill);
    CHECK(report.reason == lbfgs_reason::evaluations);
    CHECK(report.value == 3);
    CHECK(x == 3);
}

TEST_CASE("lbfgs: where the function ends, shorter steps are tried") {
    double x = 1;  // x - log x, which is not defined for x <= 0; the first step would go there
    auto const f = [](double p, double& g) { return g = 1000 * (1 - 0.01 / p), 1000 * (p - 0.01 * std::log(p)); };
    ad::optim::lbfgs optimizer(x, {.learning_rate = 1e5});
    CHECK(optimizer.minimize(x, f).converged());
    CHECK(std::abs(x - 0.01) < 1e-8);
}

TEST_CASE("line search: the point returned meets the strong Wolfe conditions, and was evaluated last") {
    struct function {
        double (*value)(double);
        double (*slope)(double);
    };
    function const functions[] = {
        {[](double t) { return (t - 3) * (t - 3); }, [](double t) { return 2 * (t - 3); }},
        {[](double t) { return -t / (t * t + 2); }, [](double t) { return (t * t - 2) / ((t * t + 2) * (t * t + 2)); }},
        {[](double t) { return std::exp(t) - 20 * t; }, [](double t) { return std::exp(t) - 20; }},
        {[](double t) { return std::cosh(t - 1) + 0.3 * std::cos(9 * t); },
         [](double t) { return std::sinh(t - 1) - 2.7 * std::sin(9 * t); }},
        {[](double t) { return -std::log(2 - t) - 3 * t; }, [](double t) { return 1 / (2 - t) - 3; }},  // NaN from 2 on
    };
    for (function const& f : functions)
        for (double first : {1e-6, 0.01, 1.0, 40.0, 1e5}) {
            double last = 0;
            auto const at = [&](double t) { return ad::detail::line_point{last = t, f.value(t), f.slope(t)}; };
            auto const start = at(0);
            ad::detail::wolfe_conditions const wolfe{1e-4, 0.4, 0};
            auto const found = ad::detail::search_line(start, first, wolfe, 60, at);
            CHECK(found.t > 0);
            CHECK(found.t == last);
            CHECK(found.value <= start.value + 1e-4 * found.t * start.slope);
            CHECK(std::abs(found.slope) <= 0.4 * std::abs(start.slope));
        }
}
