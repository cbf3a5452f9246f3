// SPDX-License-Identifier: MIT
// What densities share: arguments that broadcast, numbers, float, terms that are left out, and integrals of 1.

#include "functional/density/density_cases.hpp"

using namespace density_cases;
namespace density = ad::density;

namespace {
/// The integral of e^lpdf by trapezia in t: y = g(t) runs through the whole range, and the error falls off doubly
/// exponentially.
template <class F, class G>
double integral(F f, G g) {
    auto lpdf = ad::fused(f);
    constexpr double h = 0.03, d = 1e-5;
    double sum = 0;
    for (double t = -3.6; t < 3.6; t += h) {
        double const slope = (g(t + d) - g(t - d)) / (2 * d), p = std::exp(lpdf(g(t)));
        if (p > 0 && std::isfinite(slope)) sum += p * slope * h;
    }
    return sum;
}
double line(double t) { return std::sinh(std::numbers::pi / 2 * std::sinh(t)); }
double half_line(double t) { return std::exp(std::numbers::pi / 2 * std::sinh(t)); }
double unit(double t) { return 1 / (1 + std::exp(-std::numbers::pi * std::sinh(t))); }
double circle(double t) { return std::numbers::pi * (2 * unit(t) - 1); }
}  // namespace

TEST_CASE("densities integrate to 1") {
    CHECK(integral([](auto y) { return density::normal_lpdf(y, 0.3, 1.4); }, line) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::student_t_lpdf(y, 2.5, 0.3, 1.4); }, line) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::cauchy_lpdf(y, 0.3, 1.4); }, line) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::logistic_lpdf(y, 0.3, 1.4); }, line) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::skew_normal_lpdf(y, 0.3, 1.4, 3.0); }, line) ==
          Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::von_mises_lpdf(y, 0.3, 5.0); }, circle) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::gamma_lpdf(y, 0.7, 1.3); }, half_line) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::inv_gamma_lpdf(y, 2.7, 1.3); }, half_line) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::lognormal_lpdf(y, 0.7, 0.6); }, half_line) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::weibull_lpdf(y, 1.7, 0.6); }, half_line) == Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::half_student_t_lpdf(y, 3.0, 0.6); }, half_line) ==
          Approx(1).epsilon(1e-8));
    CHECK(integral([](auto y) { return density::beta_lpdf(y, 0.8, 2.5); }, unit) == Approx(1).epsilon(1e-8));
}

TEST_CASE("densities: arguments broadcast, and the sum is over all of it") {
    ad::tensor<double, 2, 3> const y{{0.1, -0.4, 1.2}, {2.0, 0.3, -0.9}};
    ad::tensor<double, 3> const mu{0.5, -0.5, 0.0};
    ad::tensor<double, 2, 1> const sigma{{1.5}, {0.7}};
    double want = 0;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) {
            double const z = (y(i, j) - mu(j)) / sigma(i, 0);
            want -= z * z / 2 + std::log(sigma(i, 0)) + std::log(2 * std::numbers::pi) / 2;
        }
    auto const f = [](auto v, auto m, auto s) { return density::normal_lpdf(v, m, s); };
    CHECK(ad::evaluate(f, y, mu, sigma) == Approx(want).epsilon(1e-14));
    CHECK(ad::check_gradient<0, 1, 2>(f, y, mu, sigma).passed);
    // a vector of scales beside one outcome
    CHECK(ad::evaluate([](auto s) { return density::normal_lpdf(1.0, 0.0, s); }, std::vector{1.0, 2.0}) ==
          Approx(-0.5 - 0.125 - std::log(2.0) - std::log(2 * std::numbers::pi)).epsilon(1e-14));
}
TEST_CASE("densities: float arrays, and numbers of any type beside them") {
    std::vector<float> const y{0.5f, 1.5f};
    auto const value = ad::evaluate([](auto v) { return density::gamma_lpdf(v, 2, 3.0); }, y);
    static_assert(std::is_same_v<decltype(value), float const>);
    CHECK(value == Approx(2 * std::log(9.0) + std::log(0.75) - 6).epsilon(1e-6));
}
TEST_CASE("propto: terms of numbers alone are left out, those of arguments stay") {
    doubles const y{0.5, 1.5, 2.5};
    auto const all = [](auto v, auto m, auto s) { return density::normal_lpdf(v, m, s); };
    auto const some = [](auto v, auto m, auto s) { return density::normal_lpdf<density::propto>(v, m, s); };
    auto const fixed = [](auto v, auto m) { return density::normal_lpdf<density::propto>(v, m, 2.0); };
    CHECK(ad::evaluate(all, y, 1.0, 2.0) - ad::evaluate(some, y, 1.0, 2.0) ==
          Approx(-1.5 * std::log(2 * std::numbers::pi)));
    CHECK(ad::evaluate(some, y, 1.0, 2.0) - ad::evaluate(fixed, y, 1.0) == Approx(-3 * std::log(2.0)));
    CHECK(ad::grad<2>(all)(y, 1.0, 2.0) == Approx(ad::grad<2>(some)(y, 1.0, 2.0)).epsilon(1e-15));

    auto const gamma = [](auto v) { return density::gamma_lpdf<density::propto>(v, 2.0, 3.0); };
    CHECK(ad::evaluate(gamma, y) == Approx(std::log(0.5 * 1.5 * 2.5) - 3 * 4.5).epsilon(1e-14));
    auto const rate = [](auto v, auto b) { return density::gamma_lpdf<density::propto>(v, 2.0, b); };
    CHECK(ad::evaluate(rate, y, 3.0) == Approx(std::log(0.5 * 1.5 * 2.5) - 3 * 4.5 + 6 * std::log(3.0)).epsilon(1e-14));

    std::vector<int> const n{2, 3};
    auto const poisson = [](auto k, auto x) { return density::poisson_log_lpmf<density::propto>(k, x); };
    CHECK(ad::evaluate(poisson, n, 0.5) == Approx(2.5 - 2 * std::exp(0.5)).epsilon(1e-14));
}
TEST_CASE("normal_lpdf: value and gradients are one pass over the data") {
    auto step = ad::value_and_grad<1, 2>([](auto y, auto m, auto s) { return density::normal_lpdf(y, m, s); });
    constexpr auto plan = decltype(step)::plan<ad::tensor<double, 256>, double, double>();
    static_assert(plan.passes_over<256>() == 1);
    static_assert(plan.workspace_bytes() == 0);
    auto const [value, grads] = step(ad::tensor<double, 256>{}, 0.0, 1.0);
    CHECK(value == Approx(-128 * std::log(2 * std::numbers::pi)));
    CHECK(std::get<1>(grads) == -256);
}
