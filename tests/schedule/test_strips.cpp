// SPDX-License-Identifier: MIT
// Kernels that run strip by strip: the same numbers as element by element, whatever the length, whoever runs them and
// whatever is written over what; and no more workspace than a strip.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr int rounds = 14;
std::vector<std::size_t> const lengths{0, 1, 31, 32, 33, 191, 192, 193, 400, 2000, 5003};

/// Steps of a differential equation, element by element: more of them than one loop takes.
constexpr auto steps = [](auto x) {
    for (int i = 0; i < rounds; ++i) {
        auto const k = ad::let(0.9 * sin(x) + 0.1 * x * x);
        auto const l = ad::let(cos(x + 0.2 * k) - 0.3 * k);
        x = ad::let(x + 0.1 * (k * l + 0.2 * l * l - 0.1 * k * k * k) / (1.0 + l * l));
    }
    return x;
};
constexpr auto loss = [](auto x, auto y) { return mean(square(steps(x) - y)); };

struct dual {
    double v, d;
};
dual steps_of(double at) {
    dual x{at, 1};
    for (int i = 0; i < rounds; ++i) {
        double const k = 0.9 * std::sin(x.v) + 0.1 * x.v * x.v, dk = 0.9 * std::cos(x.v) + 0.2 * x.v;
        double const l = std::cos(x.v + 0.2 * k) - 0.3 * k;
        double const dl = -std::sin(x.v + 0.2 * k) * (1 + 0.2 * dk) - 0.3 * dk;
        double const a = k * l + 0.2 * l * l - 0.1 * k * k * k, b = 1 + l * l;
        double const da = dk * l + k * dl + 0.4 * l * dl - 0.3 * k * k * dk, db = 2 * l * dl;
        x = {x.v + 0.1 * a / b, x.d * (1 + 0.1 * (da / b - a * db / (b * b)))};
    }
    return x;
}

std::vector<double> numbers(std::size_t n, double first) {
    std::vector<double> r(n);
    for (double& x : r) x = std::sin(first += 0.7);
    return r;
}

/// A function of 4 numbers to 3, each with its own way through all of them.
constexpr auto several = [](auto a, auto b, auto c, auto d) {
    auto const r = ad::let(sqrt(a * a + b * b + 1.0)), s = ad::let(sin(r) / r), t = ad::let(cos(r) * d);
    auto const u = ad::let(s * c + t * a), v = ad::let(s * d - t * b), w = ad::let(u * v + exp(-u * u) * c);
    return ad::stack<0>(u / (1.0 + w * w), v * w + d * d, tanh(w - a * u));
};
constexpr auto several_of_row = [](auto p) { return several(ad::let(p[0]), ad::let(p[1]), ad::let(p[2]), ad::let(p[3])); };
template <int I>
double several_at(double const* p) {
    double const a = p[0], b = p[1], c = p[2], d = p[3], r = std::sqrt(a * a + b * b + 1), s = std::sin(r) / r,
                 t = std::cos(r) * d, u = s * c + t * a, v = s * d - t * b, w = u * v + std::exp(-u * u) * c;
    return I == 0 ? u / (1 + w * w) : I == 1 ? v * w + d * d : std::tanh(w - a * u);
}
template <int I>
double derivative(double const* p, int j) {
    double const h = 1e-3;
    double q[4]{p[0], p[1], p[2], p[3]};
    auto at = [&](double x) {
        q[j] = p[j] + x;
        return several_at<I>(q);
    };
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

}  // namespace

TEST_CASE("strips: a value and its gradient, whatever the length") {
    auto step = ad::value_and_grad(loss);
    auto const longest = numbers(5003, 0);
    std::string const plan = ad::explain(step, longest, longest);
    INFO(plan);
    REQUIRE(plan.find("strips   of") != std::string::npos);
    for (std::size_t n : lengths) {
        if (n == 0) continue;
        INFO(n);
        auto const x = numbers(n, 0), y = numbers(n, 5);
        auto const [value, g] = step(x, y);
        double expected = 0;
        bool close = true;
        for (std::size_t i = 0; i < n; ++i) {
            dual const e = steps_of(x[i]);
            expected += (e.v - y[i]) * (e.v - y[i]) / static_cast<double>(n);
            double const d = 2 * (e.v - y[i]) * e.d / static_cast<double>(n);
            close = close && std::abs(g[i] - d) < 1e-12 * (1 + std::abs(d));
        }
        CHECK(close);
        CHECK(value == Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("strips: the same bits on any number of threads") {
    auto one = ad::value_and_grad(loss), three = ad::value_and_grad(loss);
    one.threads(1), three.threads(3);
    for (std::size_t n : {193u, 5003u, 100003u}) {
        auto const x = numbers(n, 0), y = numbers(n, 5);
        auto const [a, ga] = one(x, y);
        auto const [b, gb] = three(x, y);
        bool same = a == b;
        for (std::size_t i = 0; i < n; ++i) same = same && ga[i] == gb[i];
        CHECK(same);
    }
}

TEST_CASE("strips: a result may take the place of an argument") {
    auto all = ad::fused(steps);
    auto step = ad::value_and_grad(loss);
    for (std::size_t n : lengths) {
        auto x = numbers(n, 0), y = numbers(n, 5), z = x;
        all(ad::into(z), z);
        bool close = true;
        for (std::size_t i = 0; i < n; ++i) close = close && std::abs(z[i] - steps_of(x[i]).v) < 1e-12;
        CHECK(close);
        if (n == 0) continue;
        auto const [value, g] = step(x, y);
        CHECK(step(ad::into(y), x, y) == value);
        for (std::size_t i = 0; i < n; ++i) close = close && y[i] == g[i];
        CHECK(close);
    }
}

TEST_CASE("strips: the Jacobian of each item, of rows and of columns") {
    auto of_rows = ad::vmap(ad::jacobian<0>(several_of_row));
    auto of_columns = ad::vmap(ad::jacobian<0, 1, 2, 3>(several));
    for (std::size_t n : lengths) {
        INFO(n);
        ad::tensor<double, dyn, 4> x(n);
        std::vector<double> column[4];
        for (std::size_t j = 0; j < 4; ++j) column[j] = numbers(n, static_cast<double>(j));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < 4; ++j) x(i, j) = column[j][i];
        auto const rows = of_rows(x);
        auto const columns = of_columns(column[0], column[1], column[2], column[3]);
        double worst = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double const* const p = x.data() + 4 * i;
            auto look = [&](std::size_t j, auto const& c) {
                double const expected[]{derivative<0>(p, static_cast<int>(j)), derivative<1>(p, static_cast<int>(j)),
                                        derivative<2>(p, static_cast<int>(j))};
                for (std::size_t r = 0; r < 3; ++r)
                    worst = std::max({worst, std::abs(rows(i, r, j) - expected[r]), std::abs(c(i, r) - expected[r])});
            };
            look(0, std::get<0>(columns)), look(1, std::get<1>(columns));
            look(2, std::get<2>(columns)), look(3, std::get<3>(columns));
        }
        CHECK(worst < 1e-9);
    }
}

TEST_CASE("strips: what kernels leave for one another needs no more memory than a strip") {
    auto of_rows = ad::vmap(ad::jacobian<0>(several_of_row));
    using argument = ad::tensor<double, 100000, 4>;
    CHECK(decltype(of_rows)::plan<argument>().workspace_bytes() < 400000);
}
