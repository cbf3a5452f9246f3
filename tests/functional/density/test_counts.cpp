// SPDX-License-Identifier: MIT
// Probabilities of counts and classes: values by their formulas, sums over all counts, derivatives by differences.

#include <cmath>
#include <cstdint>

#include "functional/density/density_cases.hpp"

using namespace density_cases;
namespace density = ad::density;

namespace {
std::vector<int> const n{0, 3, 1, 12};
std::vector<std::int64_t> const total{4, 3, 7, 30};
doubles const x{-0.7, 2.0, 0.4, 1.3}, rate{0.5, 2.5, 1.0, 9.0}, phi{0.8, 3.0, 20.0, 1.5}, theta{0.3, 0.8, 0.1, 0.45};

real factorial(real k) { return std::tgamma(k + 1); }
real choose(real m, real k) { return factorial(m) / factorial(k) / factorial(m - k); }

/// First and second derivatives by the parameters.
template <class F, class... P>
void check_parameters(F f, std::vector<int> const& counts, P const&... p) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
        CHECK(ad::check_gradient<I + 1 ...>(f, counts, p...).passed);
        CHECK(ad::check_gradient<I + 1 ...>(slopes<F, 1>, counts, p...).passed);
    }(std::make_integer_sequence<int, static_cast<int>(sizeof...(P))>{});
}
}  // namespace

TEST_CASE("bernoulli_logit_lpmf, bernoulli_lpmf") {
    std::vector<int> const yes{1, 0, 0, 1};
    auto const f = [](auto k, auto v) { return density::bernoulli_logit_lpmf(k, v); };
    check_value("bernoulli_logit", f, [](real k, real v) { return 1 / (1 + std::exp(k == 1 ? -v : v)); }, yes, x);
    check_parameters(f, yes, x);
    auto const g = [](auto k, auto t) { return density::bernoulli_lpmf(k, t); };
    check_value("bernoulli", g, [](real k, real t) { return k == 1 ? t : 1 - t; }, yes, theta);
    check_parameters(g, yes, theta);
    CHECK(ad::evaluate(g, std::vector<int>{0, 1}, doubles{0, 1}) == 0);
    CHECK(ad::evaluate(f, std::vector<int>{1, 0}, doubles{800, -800}) == 0);
}
TEST_CASE("binomial_logit_lpmf, binomial_lpmf") {
    auto const f = [](auto k, auto m, auto v) { return density::binomial_logit_lpmf(k, m, v); };
    check_value("binomial_logit", f, [](real k, real m, real v) {
        real const t = 1 / (1 + std::exp(-v));
        return choose(m, k) * std::pow(t, k) * std::pow(1 - t, m - k);
    }, n, total, x);
    CHECK(ad::check_gradient<2>(f, n, total, x).passed);
    auto const g = [](auto k, auto m, auto t) { return density::binomial_lpmf(k, m, t); };
    check_value(
        "binomial", g, [](real k, real m, real t) { return choose(m, k) * std::pow(t, k) * std::pow(1 - t, m - k); }, n,
        total, theta);
    CHECK(ad::check_gradient<2>(g, n, total, theta).passed);
    auto const certain = [](auto k, auto t) { return density::binomial_lpmf(k, 5, t); };
    CHECK(std::abs(ad::evaluate(certain, std::vector<int>{5}, 1.0)) < 1e-14);
}
TEST_CASE("poisson_log_lpmf, poisson_lpmf") {
    auto const f = [](auto k, auto v) { return density::poisson_log_lpmf(k, v); };
    check_value("poisson_log", f, [](real k, real v) { return std::exp(k * v - std::exp(v)) / factorial(k); }, n, x);
    check_parameters(f, n, x);
    auto const g = [](auto k, auto r) { return density::poisson_lpmf(k, r); };
    check_value("poisson", g, [](real k, real r) { return std::pow(r, k) * std::exp(-r) / factorial(k); }, n, rate);
    check_parameters(g, n, rate);
    CHECK(ad::evaluate(g, std::vector<int>{0}, 0.0) == 0);
}
TEST_CASE("neg_binomial_2_lpmf, neg_binomial_2_log_lpmf") {
    auto const pmf = [](real k, real m, real p) {
        return std::tgamma(k + p) / (factorial(k) * std::tgamma(p)) * std::pow(m / (m + p), k) *
               std::pow(p / (m + p), p);
    };
    auto const f = [](auto k, auto m, auto p) { return density::neg_binomial_2_lpmf(k, m, p); };
    check_value("neg_binomial_2", f, pmf, n, rate, phi);
    check_parameters(f, n, rate, phi);
    auto const g = [](auto k, auto e, auto p) { return density::neg_binomial_2_log_lpmf(k, e, p); };
    check_value("neg_binomial_2_log", g, [&](real k, real e, real p) { return pmf(k, std::exp(e), p); }, n, x, phi);
    check_parameters(g, n, x, phi);
}
TEST_CASE("categorical_logit_lpmf: one vector of scores, a row for each outcome, more axes, an outcome out of range") {
    ad::tensor<double, 2, 3> const scores{{0.1, 1.2, -0.4}, {2.0, -1.0, 0.3}};
    auto const probability = [&](int i, int k) {
        return std::exp(scores(i, k)) / (std::exp(scores(i, 0)) + std::exp(scores(i, 1)) + std::exp(scores(i, 2)));
    };
    auto const f = [](auto k, auto s) { return density::categorical_logit_lpmf(k, s); };
    std::vector<int> const k{2, 0};
    CHECK(ad::evaluate(f, k, scores) == Approx(std::log(probability(0, 2) * probability(1, 0))).epsilon(1e-14));
    ad::tensor<double, 3> const one{0.1, 1.2, -0.4};
    CHECK(ad::evaluate(f, std::vector<std::int64_t>{2, 0, 2}, one) ==
          Approx(std::log(probability(0, 2) * probability(0, 0) * probability(0, 2))).epsilon(1e-14));
    ad::tensor<double, 1, 2, 3> const more{{{0.1, 1.2, -0.4}, {2.0, -1.0, 0.3}}};
    ad::tensor<int, 1, 2> const outcomes{{2, 0}};
    CHECK(ad::evaluate(f, outcomes, more) == ad::evaluate(f, k, scores));
    CHECK(ad::check_gradient<1>(f, k, scores).passed);
    CHECK(ad::check_gradient<1>(f, std::vector<int>{2, 0, 2}, one).passed);
    CHECK_THROWS_AS(ad::evaluate(f, std::vector<int>{3, 0}, scores), ad::index_error);
    CHECK_THROWS_AS(ad::evaluate(f, std::vector<int>{-100, 0}, scores), ad::index_error);
}
TEST_CASE("counts: probabilities sum to 1") {
    double poisson = 0, binomial = 0, negative = 0;
    auto p = ad::fused([](auto k) { return density::poisson_log_lpmf(k, 1.7); });
    auto b = ad::fused([](auto k) { return density::binomial_logit_lpmf(k, 20, 0.4); });
    auto g = ad::fused([](auto k) { return density::neg_binomial_2_lpmf(k, 3.0, 2.5); });
    for (double k = 0; k < 200; ++k) {
        poisson += std::exp(p(k)), negative += std::exp(g(k));
        if (k <= 20) binomial += std::exp(b(k));
    }
    CHECK(poisson == Approx(1).epsilon(1e-13));
    CHECK(binomial == Approx(1).epsilon(1e-13));
    CHECK(negative == Approx(1).epsilon(1e-13));
}
