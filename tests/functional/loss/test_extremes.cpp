// SPDX-License-Identifier: MIT
// The losses where formulas break: infinite errors, logits of 1e4, probabilities of exactly 0 and 1.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {
using doubles = std::vector<double>;
using floats = std::vector<float>;
constexpr auto none = ad::loss::reduction::none;
double const inf = std::numeric_limits<double>::infinity();
double const not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The losses one by one, and their gradients by the first two arguments and those `Further`.
template <int... Further, class F, class T, class... P>
auto each(F, std::vector<T> const& x, std::vector<T> const& t, P const&... p) {
    constexpr auto weighted = [](auto cot, auto a, auto b, auto... q) { return sum(F{}(a, b, q...) * cot); };
    return ad::grad<0, 1, 2, (3 + Further)...>(weighted)(std::vector<T>(x.size(), T(1)), x, t, p...);
}
template <class A, class B>
void check_near(A const& actual, B const& expected, double relative = 1e-14) {
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        INFO("element " << i << ": " << actual[i] << ", expected " << expected[i]);
        if (std::isnan(expected[i])) CHECK(std::isnan(actual[i]));
        else if (std::isinf(expected[i]) || expected[i] == 0) CHECK(actual[i] == expected[i]);
        else CHECK(std::abs(static_cast<double>(actual[i]) / static_cast<double>(expected[i]) - 1) < relative);
    }
}
}  // namespace

TEST_CASE("huber: an infinite error has an infinite loss and the slope delta") {
    constexpr auto loss_of = [](auto x, auto t, auto delta) { return ad::loss::huber<none>(x, t, delta); };
    auto const [loss, dx, dt, infinite] = each<0>(loss_of, doubles{inf, -inf, 1, 1e300, -3, 2, 1.5, 0, not_a_number},
                                                  doubles{1, 1, inf, 0, 0, 0, 0, 0, 0}, 2.0);
    check_near(loss, doubles{inf, inf, inf, 2e300, 4, 2, 1.125, 0, not_a_number});
    check_near(dx, doubles{2, -2, -2, 2, -2, 2, 1.5, 0, not_a_number});
    check_near(dt, doubles{-2, 2, 2, -2, 2, -2, -1.5, 0, not_a_number});
    CHECK(std::isnan(infinite));  // one of the losses is
    CHECK(std::get<3>(each<0>(loss_of, doubles{-3, 5, 2, 1.5}, doubles{0, 0, 0, 0}, 2.0)) == 1 + 3);
}

TEST_CASE(
    "smooth_l1: an infinite error has an infinite loss and the slope 1; beta = 0 is l1, as a number and as an "
    "argument") {
    constexpr auto by_argument = [](auto x, auto t, auto beta) { return ad::loss::smooth_l1<none>(x, t, beta); };
    doubles const x{inf, -inf, -3, 0.25, 0, 1e-300}, t{0, 0, 0, 0, 0, 0};
    auto const [loss, dx, dt, slope] = each<0>(by_argument, x, t, 0.5);
    check_near(loss, doubles{inf, inf, 2.75, 0.0625, 0, 0});
    check_near(dx, doubles{1, -1, -1, 0.5, 0, 2e-300});
    CHECK(slope == -0.5 * 3 - 0.125);
    check_near(dt, doubles{-1, 1, 1, -0.5, 0, -2e-300});
    doubles const size{inf, inf, 3, 0.25, 0, 1e-300}, sign{1, -1, -1, 1, 0, 1};
    auto const argument = each(by_argument, x, t, 0.0);
    check_near(std::get<0>(argument), size);
    check_near(std::get<1>(argument), sign);
    auto const number = each([](auto a, auto b) { return ad::loss::smooth_l1<none>(a, b, 0); }, x, t);
    check_near(std::get<0>(number), size);
    check_near(std::get<1>(number), sign);
}

TEST_CASE("bce_with_logits: exact for logits of any size, with all digits of what is almost 0") {
    constexpr auto loss_of = [](auto x, auto t, auto w) {  // what a weight of 1 leaves as it is, half from either form
        return 0.5 * ad::loss::bce_with_logits<none>(x, t) +
               0.5 * ad::loss::bce_with_logits<none>(x, t, ad::loss::pos_weight(w));
    };
    auto const check = [&]<class T>(T one, double digits) {
        std::vector<T> const x{T(1e4), T(-1e4), T(1e4), T(-1e4), T(1e4), 0, 20, -20, T(-1e30), -1};
        std::vector<T> const t{1, 1, 0, 0, T(0.25), T(0.75), 1, 0, 1, 0};
        auto const [loss, dx, dt] = each(loss_of, x, t, one);
        double const tiny = std::log1p(std::exp(-20.0)), slope = 1 / (1 + std::exp(20.0)), e = std::exp(-1.0);
        check_near(loss, doubles{0, 1e4, 1e4, 0, 7.5e3, std::log(2.0), tiny, tiny, 1e30, std::log1p(e)}, digits);
        check_near(dx, doubles{0, -1, 1, 0, 0.75, -0.25, -slope, slope, -1, e / (1 + e)}, digits);
        check_near(dt, doubles{-1e4, 1e4, -1e4, 1e4, -1e4, 0, -20, 20, 1e30, 1}, digits);
    };
    check(1.0, 4e-15);
    check(1.0f, 4e-7);
}

TEST_CASE("bce_with_logits: the second derivative is sigmoid(x) sigmoid(-x), at 0 too") {
    auto const twice = ad::hvp<0>([](auto x) { return ad::loss::bce_with_logits<ad::loss::reduction::sum>(x, 1.0); })(
        doubles{0, 2, -2, 1e4}, doubles{1, 1, 1, 1});
    double const q = 1 / (1 + std::exp(2.0));
    check_near(twice, doubles{0.25, q * (1 - q), q * (1 - q), 0});
}

TEST_CASE("focal_with_logits: exact for logits of 1e4, whatever gamma is") {
    doubles const x{1e4, -1e4, 1e4, -1e4, 0, 800, -800}, t{1, 1, 0, 0, 1, 1, 0};
    auto const with_gamma = [](double gamma) {
        double const half = std::pow(0.5, gamma), ln2 = std::log(2.0);
        return std::pair(doubles{0, 2.5e3, 2.5e3, 0, 0.25 * half * ln2, 0, 0},
                         doubles{0, -0.25, 0.25, 0, -0.25 * half * (gamma * 0.5 * ln2 + 0.5), 0, 0});
    };
    for (double gamma : {0.0, 0.5, 2.0, 3.5}) {
        auto const [loss, dx, dt] =
            each([](auto a, auto b, auto g) { return ad::loss::focal_with_logits<none>(a, b, 0.25, g); }, x, t, gamma);
        check_near(loss, with_gamma(gamma).first);
        check_near(dx, with_gamma(gamma).second);
        check_near(dt, doubles(x.size()));
    }
    auto const number = each([](auto a, auto b) { return ad::loss::focal_with_logits<none>(a, b); }, x, t);
    check_near(std::get<0>(number), with_gamma(2).first);
    check_near(std::get<1>(number), with_gamma(2).second);
}

TEST_CASE("focal: at probabilities of 0 and 1 slopes are exact or honestly infinite") {
    doubles const p{1, 0, 0, 1, 1e-300, 1e-20}, t{1, 0, 1, 0, 1, 0};
    double const far = 300 * std::log(10.0);
    auto const check = [&](auto const& all, double gamma) {
        INFO("gamma " << gamma);
        check_near(std::get<0>(all), doubles{0, 0, inf, inf, far, std::pow(1e-20, gamma + 1)}, 1e-13);
        double const sure = gamma == 0 ? 1 : 0;
        check_near(std::get<1>(all), doubles{-sure, sure, -inf, inf, -1e300, (gamma + 1) * std::pow(1e-20, gamma)},
                   1e-13);
    };
    for (double gamma : {0.0, 0.5, 1.0, 2.0, 2.5}) {
        auto const all =
            each<0>([](auto a, auto b, auto g) { return ad::loss::focal<none>(a, b, 1.0, g); }, p, t, gamma);
        check(all, gamma);
        CHECK_FALSE(std::isnan(std::get<3>(all)));
    }
    check(each([](auto a, auto b) { return ad::loss::focal<none>(a, b, 1, 0); }, p, t), 0);
    check(each([](auto a, auto b) { return ad::loss::focal<none>(a, b, 1, 0.5); }, p, t), 0.5);
    check(each([](auto a, auto b) { return ad::loss::focal<none>(a, b, 1); }, p, t), 2);
}

TEST_CASE("bce: a logarithm is cut at -100, and where it is cut nothing flows through it") {
    constexpr auto loss_of = [](auto p, auto t) { return ad::loss::bce<none>(p, t); };
    auto const [loss, dp, dt] =
        each(loss_of, doubles{0, 0, 1, 1, 0, 1, 1e-40, 1e-50, 1e-20}, doubles{1, 0, 1, 0, 0.5, 0.25, 1, 1, 0});
    check_near(loss, doubles{100, 0, 0, 100, 50, 75, 40 * std::log(10.0), 100, 1e-20});
    check_near(dp, doubles{0, 1, -1, 0, 0.5, -0.25, -1e40, 0, 1});
    check_near(dt, doubles{100, 100, -100, -100, 100, -100, 40 * std::log(10.0), 100, 20 * std::log(10.0)});
    auto const single = each(loss_of, floats{0, 1, 1e-30f}, floats{1, 0, 1});
    check_near(std::get<0>(single), doubles{100, 100, 30 * std::log(10.0)}, 1e-6);
    check_near(std::get<1>(single), doubles{0, 0, -1e30}, 1e-6);
}

TEST_CASE("kl_div: what has probability 0 contributes nothing, whatever the input says") {
    auto const [loss, dx, dt] = each([](auto x, auto t) { return ad::loss::kl_div<none>(x, t); },
                                     doubles{-inf, -1, -inf, 0}, doubles{0, 0, 0.5, 1});
    check_near(loss, doubles{0, 0, inf, 0});
    check_near(dx, doubles{0, 0, -0.5, -1});
    check_near(dt, doubles{0, 0, inf, 1});
    auto const logs = each([](auto x, auto t) { return ad::loss::kl_div<none>(x, t, {.log_target = true}); },
                           doubles{-inf, -1, -inf, 0}, doubles{-inf, -inf, -1000, 0});
    check_near(std::get<0>(logs), doubles{0, 0, 0, 0});
    check_near(std::get<1>(logs), doubles{0, 0, 0, -1});
    check_near(std::get<2>(logs), doubles{0, 0, 0, 1});
}

TEST_CASE("kl_divergence: 0 where the target is 0, infinite where only the input is") {
    auto const [loss, dq, dp] = each([](auto q, auto p) { return ad::loss::kl_divergence<none>(q, p); },
                                     doubles{0, 0.5, 0, 1, 0.25}, doubles{0, 0, 0.5, 1, 0.5});
    check_near(loss, doubles{0, 0, inf, 0, 0.5 * std::log(2.0)});
    check_near(dq, doubles{0, 0, -inf, -1, -2});
    check_near(dp, doubles{0, 0, inf, 1, std::log(2.0) + 1});
}

TEST_CASE("poisson_nll: a count of 0 needs no logarithm, of the rate or of itself") {
    auto const [loss, dx, dt] = each(
        [](auto x, auto t) { return ad::loss::poisson_nll<none>(x, t, {.log_input = false, .full = true, .eps = 0}); },
        doubles{0, 2, 3, 0}, doubles{0, 0, 1, 2});
    double const stirling = 2 * std::log(2.0) - 2 + 0.5 * std::log(4 * std::acos(-1.0));
    check_near(loss, doubles{0, 2, 3 - std::log(3.0), inf});
    check_near(dx, doubles{1, 1, 2.0 / 3, -inf});
    check_near(doubles{dt[1], dt[2]}, doubles{-std::log(2.0), -std::log(3.0)});
    auto const logs = each([](auto x, auto t) { return ad::loss::poisson_nll<none>(x, t, {.full = true}); },
                           doubles{0, 1}, doubles{2, 0});
    check_near(std::get<0>(logs), doubles{1 + stirling, std::exp(1.0)});
    check_near(std::get<2>(logs), doubles{std::log(2.0) + 0.25, -1});
}

TEST_CASE("gaussian_nll: a variance below eps is raised to it, which its gradient does not see") {
    auto const [loss, dx, dt, dv] =
        each<0>([](auto x, auto t, auto v) { return ad::loss::gaussian_nll<none>(x, t, v, {.eps = 0.25}); },
                doubles{1, 2, 0}, doubles{0, 0, 0}, doubles{0, 4, -1});
    check_near(loss, doubles{0.5 * (std::log(0.25) + 4), 0.5 * (std::log(4.0) + 1), 0.5 * std::log(0.25)});
    check_near(dx, doubles{4, 0.5, 0});
    check_near(dv, doubles{0.5 * (4 - 16), 0, 2});
    auto const number = each([](auto x, auto t) { return ad::loss::gaussian_nll<none>(x, t, 4, {.full = true}); },
                             doubles{2}, doubles{0});
    check_near(std::get<0>(number), doubles{0.5 * (std::log(4.0) + 1) + 0.5 * std::log(2 * std::acos(-1.0))});
    check_near(std::get<1>(number), doubles{0.5});
}
