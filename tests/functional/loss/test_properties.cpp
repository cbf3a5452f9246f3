// SPDX-License-Identifier: MIT
// All elementwise losses at once: central differences, lengths around a register, strided views, rank 0, nothing at
// all, half precision, targets that are masks, integers or numbers; and one pass over the data for each.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;
using ad::loss::reduction;

namespace {

/// For x and t between 0 and 1. The numbers keep the losses from cancelling each other.
constexpr auto all_of(auto const& x, auto const& t) {
    auto const numbers = let(ad::loss::mse(x, t) + 0.9 * ad::loss::l1(x, t) + 0.8 * ad::loss::smooth_l1(x, t, 0.32) +
                             0.7 * ad::loss::huber(x, t, 0.42));
    auto const likelihoods =
        let(1.1 * ad::loss::poisson_nll(x, t) + 1.2 * ad::loss::poisson_nll(x, 3.0 * t, {false, true}) +
            1.3 * ad::loss::gaussian_nll(x, t, 0.5 + t) + 1.4 * ad::loss::kl_div(x, t) +
            1.5 * ad::loss::kl_div(x, t, {.log_target = true}) + 1.6 * ad::loss::kl_divergence(x, t));
    auto const binary =
        let(2.1 * ad::loss::bce(x, t) + 2.2 * ad::loss::bce_with_logits(x, t) +
            2.3 * ad::loss::bce_with_logits(x, t, 0.5 + x, ad::loss::pos_weight(2.5)) + 2.4 * ad::loss::focal(x, t) +
            2.5 * ad::loss::focal(x, t, 0.5, 1.5) + 2.6 * ad::loss::focal_with_logits(x, t) +
            2.7 * ad::loss::focal_with_logits(x, t, 0.5, 1.5));
    return numbers + likelihoods + binary;
}
constexpr auto everything = [](auto p) {
    auto const& [x, t] = p;
    return all_of(x, t);
};
/// Some of each kind.
template <reduction R>
constexpr auto some_of(auto const& x, auto const& t) {
    return ad::loss::huber<R>(x, t, 0.42) + ad::loss::gaussian_nll<R>(x, t, 0.5 + t) + ad::loss::kl_div<R>(x, t) +
           ad::loss::bce_with_logits<R>(x, t) + ad::loss::focal<R>(x, t);
}
constexpr auto some = [](auto x, auto t) { return some_of<reduction::mean>(x, t); };

/// Between 0 and 1, and away from kinks: x and t are neither equal nor differ by 0.32 or 0.42; t is neither 1/2 nor
/// 1/3.
template <class T>
std::vector<T> inputs(std::size_t n) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(0.15 + 0.1 * static_cast<double>(i * 5 % 8));
    return x;
}
template <class T>
std::vector<T> targets(std::size_t n) {
    std::vector<T> t(n);
    for (std::size_t i = 0; i < n; ++i) t[i] = static_cast<T>(0.075 + 0.1 * static_cast<double>(i * 3 % 9));
    return t;
}
constexpr auto with_parameters = [](auto p) {
    auto const& [x, t, beta, delta, alpha, gamma, var, weight] = p;
    return ad::loss::smooth_l1(x, t, beta) + ad::loss::huber(x, t, delta) + ad::loss::focal(x, t, alpha, gamma) +
           ad::loss::focal_with_logits(x, t, alpha, gamma) + ad::loss::gaussian_nll(x, t, var) +
           ad::loss::bce(x, t, weight) + ad::loss::bce_with_logits(x, t, weight, ad::loss::pos_weight(var));
};

}  // namespace

TEST_CASE("losses: central differences by input and target, at lengths around the width of a register") {
    for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 17u}) {
        auto const report = ad::check_gradient<0>(everything, std::tuple(inputs<double>(n), targets<double>(n)));
        INFO("n " << n << ": array " << report.worst_array << ", element " << report.worst_element << " is "
                  << report.worst_gradient << ", difference " << report.worst_difference);
        CHECK(report.passed);
        CHECK(report.checked == 2 * n);
    }
}

TEST_CASE("losses: central differences by hyperparameters and weights") {
    ad::tensor<double, dyn, 3> x(2), t(2);
    auto const from = inputs<double>(6), to = targets<double>(6);
    std::copy(from.begin(), from.end(), x.begin());
    std::copy(to.begin(), to.end(), t.begin());
    ad::tensor<double, 3> const weight{0.5, 1.5, 2};
    ad::tensor<double, dyn, 1> var(2);
    var(0, 0) = 0.7;
    var(1, 0) = 1.3;
    auto const report = ad::check_gradient<0>(with_parameters, std::tuple(x, t, 0.32, 0.42, 0.3, 1.4, var, weight));
    INFO("array " << report.worst_array << " is " << report.worst_gradient << ", difference "
                  << report.worst_difference);
    CHECK(report.passed);
    CHECK(report.checked == 6 + 6 + 4 + 2 + 3);
}

TEST_CASE("losses: strided views, columns and half precision give what dense arrays of numbers do") {
    auto const x = inputs<double>(21), t = targets<double>(21);
    auto gradient = ad::value_and_grad<0, 1>(some);
    auto const [value, grads] = gradient(x, t);
    std::vector<double> spread(3 * 21, 7);  // every third is x
    for (std::size_t i = 0; i < 21; ++i) spread[3 * i] = x[i];
    ad::view<double const, dyn> const thirds(spread.data(), 21, std::array<std::ptrdiff_t, 1>{3});
    auto const [value2, grads2] = gradient(thirds, t);
    CHECK(std::abs(value2 - value) < 1e-14);
    for (std::size_t i = 0; i < 21; ++i) {
        CHECK(std::get<0>(grads2)(i) == std::get<0>(grads)[i]);
        CHECK(std::get<1>(grads2)[i] == std::get<1>(grads)[i]);
    }
    std::vector<ad::half> x16(21), t16(21);
    std::vector<double> rounded(21), rounded_t(21);
    for (std::size_t i = 0; i < 21; ++i) {
        x16[i] = ad::half(static_cast<float>(x[i]));
        t16[i] = ad::half(static_cast<float>(t[i]));
        rounded[i] = static_cast<double>(static_cast<float>(x16[i]));
        rounded_t[i] = static_cast<double>(static_cast<float>(t16[i]));
    }
    auto const [value16, g16] = gradient(x16, t16);
    auto const exact = gradient(rounded, rounded_t);
    CHECK(std::abs(static_cast<double>(value16) - exact.value) < 1e-5 * std::abs(exact.value));
    for (std::size_t i = 0; i < 21; ++i) {
        double const g = std::get<0>(exact.grad)[i];
        CHECK(std::abs(static_cast<double>(static_cast<float>(std::get<0>(g16)[i])) - g) < 1e-3 * std::abs(g) + 1e-6);
    }
}

TEST_CASE("losses: of numbers they are those of arrays with one element") {
    auto const [dx, dt] = ad::grad<0>(everything)(std::tuple(0.15, 0.075));
    auto const [dx1, dt1] = ad::grad<0>(everything)(std::tuple(std::vector{0.15}, std::vector{0.075}));
    CHECK(std::abs(dx - dx1[0]) < 1e-14 * std::abs(dx));
    CHECK(std::abs(dt - dt1[0]) < 1e-14 * std::abs(dt));
}

TEST_CASE("losses: the mean of nothing is NaN, the sum is 0; batchmean divides by the first axis") {
    constexpr auto reductions = [](auto x, auto t) {
        return std::tuple(some_of<reduction::sum>(x, t), some_of<reduction::mean>(x, t),
                          some_of<reduction::batchmean>(x, t));
    };
    auto run = ad::value_and_grad<0>(reductions);
    auto const [values, dx] = run(ad::tensor<double, dyn, dyn>(0, 3), ad::tensor<double, dyn, dyn>(0, 3));
    CHECK(std::get<0>(values) == 0);
    CHECK(std::isnan(std::get<1>(values)));
    CHECK(dx.extent(0) == 0);
    ad::tensor<double, dyn, dyn> x(2, 3), t(2, 3);
    ad::fill(x, 0.25);
    ad::fill(t, 0.75);
    auto const [sum, mean, batchmean] = run(x, t).value;
    CHECK(std::abs(mean - sum / 6) < 1e-13);
    CHECK(std::abs(batchmean - sum / 2) < 1e-13);
}

TEST_CASE("losses: targets may be masks, integers or one number") {
    constexpr auto labelled = [](auto x, auto t) {
        return std::tuple(ad::loss::bce_with_logits(x, t, ad::loss::pos_weight(2)), ad::loss::bce(x, t, 2),
                          ad::loss::focal(x, t), ad::loss::focal_with_logits(x, t), ad::loss::huber(x, t),
                          ad::loss::kl_div(x, t));
    };
    auto const x = inputs<double>(5);
    auto const near = [](auto const& a, auto const& b) {
        return std::apply([&](auto... u) {
            return std::apply([&](auto... v) { return ((std::abs(u - v) < 1e-15 * (1 + std::abs(v))) && ...); }, b);
        }, a);
    };
    auto const expected = ad::evaluate(labelled, x, std::vector<double>{1, 0, 0, 1, 0});
    CHECK(near(ad::evaluate(labelled, x, std::array<bool, 5>{true, false, false, true, false}), expected));
    CHECK(near(ad::evaluate(labelled, x, std::vector<std::int64_t>{1, 0, 0, 1, 0}), expected));
    auto const number = ad::evaluate([](auto v) { return decltype(labelled){}(v, 1); }, x);
    CHECK(near(number, ad::evaluate(labelled, x, std::vector<double>(5, 1.0))));
}

namespace {
/// The loss, its gradient and that of its target in one loop, with nothing stored on the way.
template <class F>
consteval bool is_one_pass(F) {
    using array = ad::tensor<float, dyn>;
    constexpr auto plan = decltype(ad::value_and_grad<0, 1>(F{}))::template plan<array, array>();
    return plan.kernels() == 1 && plan.workspace_bytes() == 0;
}
}  // namespace

TEST_CASE("losses: value and gradients are one pass over the data") {
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::mse(x, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::l1(x, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::smooth_l1(x, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::huber(x, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::poisson_nll(x, t, {.full = true}); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::poisson_nll(x, t, {.log_input = false}); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::gaussian_nll(x, 0.0, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::kl_div(x, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::kl_div(x, t, {.log_target = true}); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::kl_divergence(x, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::bce(x, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::bce_with_logits(x, t); }));
    STATIC_REQUIRE(
        is_one_pass([](auto x, auto t) { return ad::loss::bce_with_logits(x, t, 2, ad::loss::pos_weight(3)); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::focal(x, t); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::focal(x, t, 0.5, 1.5); }));
    STATIC_REQUIRE(is_one_pass([](auto x, auto t) { return ad::loss::focal_with_logits(x, t); }));
}
