// SPDX-License-Identifier: MIT
// odeint beside known solutions: values, derivatives by everything that goes in, tolerances, stiffness, many at once.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "transform/calls/arrays.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto decay = [](auto y, auto t, auto k) { return -k * y + 0.0 * t; };
constexpr auto decayed = [](auto y0, auto t, auto k) {
    return ad::odeint(decay, y0, t, k, {.rtol = 1e-10, .atol = 1e-12});
};
constexpr auto squares = [](auto y0, auto t, auto k) { return sum(square(decayed(y0, t, k))); };

/// An oscillator whose state is a tuple of an array and a number, and whose force depends on time: x'' = -x + cos(t)/2
/// from 0, 0 gives x = t sin(t) / 4; the number is the integral of x.
template <int Digits>
constexpr auto driven = [](auto start, auto times) {
    auto const f = [](auto const& s, auto t) {
        auto const& [y, total] = s;
        auto const x = ad::select<0>(y, 0), v = ad::select<0>(y, 1);
        return std::tuple(ad::stack<0>(v, 0.5 * cos(t) - x), x + 0.0 * total);
    };
    constexpr double tolerance = Digits == 4 ? 1e-4 : Digits == 7 ? 1e-7 : 1e-10;
    return ad::odeint(f, std::tuple(start, 0.0), times, {.rtol = tolerance, .atol = tolerance});
};
template <int Digits>
double error_of_driven(ad::tensor<double, ad::dyn> const& times) {
    auto const [y, total] = ad::evaluate(driven<Digits>, ad::tensor<double, 2>{0, 0}, times);
    double worst = 0;
    for (int i = 0; i < static_cast<int>(times.extent(0)); ++i) {
        double const t = times(i), x = t * std::sin(t) / 4, whole = (std::sin(t) - t * std::cos(t)) / 4;
        worst = std::max({worst, std::abs(y(i, 0) - x), std::abs(total(i) - whole)});
    }
    return worst;
}

constexpr auto by_rk4 = [](auto y0, auto t, auto k) {
    return ad::odeint(decay, y0, t, k, {.method = ad::ode_method::rk4, .steps = 2});
};
constexpr auto squares_by_rk4 = [](auto y0, auto t, auto k) { return sum(square(by_rk4(y0, t, k))); };

/// Van der Pol's oscillator.
constexpr auto stiff = [](auto y0, auto t, auto mu) {
    auto const f = [&](auto y, auto) {
        auto const x = ad::select<0>(y, 0), v = ad::select<0>(y, 1);
        return ad::stack<0>(v, mu * (1.0 - x * x) * v - x);
    };
    return ad::odeint(f, y0, t, {.rtol = 1e-6, .atol = 1e-8, .method = ad::ode_method::rosenbrock, .max_steps = 20000});
};
constexpr auto stiff_end = [](auto y0, auto t, auto mu) { return sum(ad::select<1>(stiff(y0, t, mu), 0)); };
constexpr auto explodes = [](auto y0, auto t) { return ad::odeint([](auto y, auto) { return square(y); }, y0, t); };

ad::tensor<double, ad::dyn> times_of(int n, double from, double to) {
    ad::tensor<double, ad::dyn> t(n);
    for (int i = 0; i < n; ++i) t(i) = from + (to - from) * i / (n - 1);
    return t;
}

}  // namespace

TEST_CASE("odeint: the exponential, and its derivatives by the start, the times and a parameter, once and twice") {
    ad::tensor<double, ad::dyn> const t{0.5, 0.8, 1.7, 3.2, 5.3};
    double const y0 = 2, k = 0.7;
    auto const [v, g] = ad::value_and_grad<0, 1, 2>(squares)(y0, t, k);
    double value = 0, by_k = 0, by_first = 0, twice = 0;
    for (int i = 0; i < 5; ++i) {
        double const d = t(i) - t(0), e = y0 * y0 * std::exp(-2 * k * d);
        value += e;
        by_k -= 2 * d * e;
        twice += 4 * d * d * e;
        if (i == 0) continue;
        by_first += 2 * k * e;
        CHECK(std::abs(std::get<1>(g)(i) + 2 * k * e) < 1e-7);
    }
    CHECK(std::abs(v - value) < 1e-8);
    CHECK(std::abs(std::get<0>(g) - 2 * value / y0) < 1e-8);
    CHECK(std::abs(std::get<1>(g)(0) - by_first) < 1e-7);
    CHECK(std::abs(std::get<2>(g) - by_k) < 1e-7);
    CHECK(std::abs(ad::jvp<2>(squares)(y0, t, k, 1.0).tangent - by_k) < 1e-7);
    CHECK(std::abs(ad::hessian<2>(squares)(y0, t, k) - twice) < 1e-6);
    ad::tensor<double, ad::dyn> const backwards{1.0, -1.0};  // and the other way
    CHECK(std::abs(ad::value_and_grad<0, 1, 2>(squares)(1.0, backwards, k).value - 1 - std::exp(4 * k)) < 1e-7);
}

TEST_CASE(
    "odeint: a tree and a force that depends on time; the error falls with the tolerance, at as many times as one "
    "likes") {
    for (int n : {2, 7, 200}) {
        auto const t = times_of(n, 0, 6);
        double const rough = error_of_driven<4>(t), fair = error_of_driven<7>(t), fine = error_of_driven<10>(t);
        CAPTURE(n, rough, fair, fine);
        CHECK(rough < 1e-2);
        CHECK(fair < 1e-5);
        CHECK(fine < 1e-8);
        CHECK(fair < rough / 50);
        CHECK(fine < fair / 50);
    }
}

TEST_CASE("odeint: rk4 is of fourth order, and its gradient is that of its steps") {
    double last = 0;
    for (int n : {6, 11, 21}) {
        double const error = std::abs(ad::evaluate(by_rk4, 1.0, times_of(n, 0, 2), 1.3)(n - 1) - std::exp(-2.6));
        if (n > 6) CHECK(std::abs(std::log2(last / error) - 4) < 0.2);
        last = error;
    }
    CHECK(ad::check_gradient<0, 1, 2>(squares_by_rk4, 2.0, times_of(5, 0, 2), 0.7).passed);
}

TEST_CASE("odeint: the stiff method on van der Pol's oscillator") {
    ad::tensor<double, 2> const start{2, 0};
    auto const y = ad::evaluate(stiff, start, ad::tensor<double, 2>{0, 2000}, 1000.0);
    CHECK(std::abs(y(1, 0) - 1.706167732) < 1e-5);
    CHECK(std::abs(y(1, 1) + 8.928e-4) < 1e-6);
    ad::tensor<double, 2> const short_time{0, 12};
    auto const end = [&](double mu) { return ad::value_and_grad<2>(stiff_end)(start, short_time, mu); };
    double const h = 1e-4, slope = (end(20.0 + h).value - end(20.0 - h).value) / (2 * h);
    CHECK(std::abs(end(20.0).grad - slope) < 1e-4 * (1 + std::abs(slope)));
}

TEST_CASE("odeint: many at once have steps of their own; one that never gets there throws") {
    std::vector<double> const ks{0.1, 3.0, 40.0};
    ad::tensor<double, ad::dyn> const t{0, 0.3, 1.0};
    auto const many = [](auto y0, auto times, auto k) {
        return sum(ad::vmap<ad::whole, ad::whole, 0>(squares)(y0, times, k));
    };
    auto const [v, g] = ad::value_and_grad<2>(many)(2.0, t, ks);
    double total = 0;
    for (std::size_t i = 0; i < ks.size(); ++i) {
        auto const [one, slopes] = ad::value_and_grad<0, 1, 2>(squares)(2.0, t, ks[i]);
        total += one;
        CHECK(std::abs(g[i] - std::get<2>(slopes)) < 1e-9);
    }
    CHECK(std::abs(v - total) < 1e-9);
    bool thrown = false;
    try {
        (void)ad::evaluate(explodes, 1.0, ad::tensor<double, ad::dyn>{0, 2});  // infinite at 1
    } catch (ad::convergence_error const& e) { thrown = std::string(e.operation) == "odeint" && e.steps == 1000; }
    CHECK(thrown);
    CHECK(std::abs(ad::evaluate(explodes, 1.0, ad::tensor<double, ad::dyn>{0, 0.5})(1) - 2) < 1e-4);
}
TEST_CASE("odeint: without a time there is nowhere to begin, with one there is nothing to do") {
    CHECK_THROWS_AS(ad::evaluate(decayed, 2.0, std::vector<double>{}, 0.5), ad::shape_error);
    CHECK(ad::evaluate(decayed, 2.0, std::vector<double>{3.0}, 0.5)(0) == 2);
}
