// SPDX-License-Identifier: MIT
// nll and cross_entropy: exact small cases, extremes, nothing to count, derivatives of both orders, plans and errors.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::loss::reduction;

namespace {

constexpr auto mean_loss = [](auto x, auto t) { return ad::loss::cross_entropy(x, t); };
constexpr auto weighted_sum = [](auto x, auto t, auto w) {
    return ad::loss::cross_entropy<reduction::sum>(x, t, w, {.label_smoothing = 0.2});
};
template <class T, auto... E>
using classes = ad::tensor<T, E...>;

/// log(sum(e^x)) - x[t] of one row.
template <class Row>
long double loss_of(Row const& x, std::size_t n, std::size_t t) {
    long double peak = -std::numeric_limits<long double>::infinity(), sum = 0;
    for (std::size_t i = 0; i < n; ++i) peak = std::max(peak, static_cast<long double>(x(i)));
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(static_cast<long double>(x(i)) - peak);
    return std::log(sum) + peak - static_cast<long double>(x(t));
}
}  // namespace

TEST_CASE("cross_entropy: two equal scores lose log 2, and each gets half a row's gradient") {
    ad::tensor<double, 2, 2> const x{{3, 3}, {-1, -1}};
    auto const [value, g] = ad::value_and_grad<0>(mean_loss)(x, ad::tensor<int, 2>{1, 0});
    CHECK(std::abs(value - std::log(2.0)) < 1e-15);
    CHECK(g == ad::tensor<double, 2, 2>{{0.25, -0.25}, {-0.25, 0.25}});
}

TEST_CASE("cross_entropy: scores of 10^4 lose nothing and everything, exactly") {
    auto step = ad::value_and_grad<0>(mean_loss);
    ad::tensor<double, ad::dyn, 3> x(2);
    x(0, 0) = 1e4, x(0, 1) = -1e4, x(0, 2) = 0;
    x(1, 0) = -1e4, x(1, 1) = 1e4, x(1, 2) = 1e4;
    ad::tensor<std::int64_t, ad::dyn> t(2);
    t(0) = 0, t(1) = 0;
    auto const [value, g] = step(x, t);
    CHECK(value == (2e4 + std::log(2.0)) / 2);
    CHECK(g(0, 0) == 0);
    CHECK(g(1, 0) == -0.5);
    CHECK(g(1, 1) == 0.25);
    x(0, 1) = -std::numeric_limits<double>::infinity();  // a class that is out of the question
    CHECK(step(x, t).value == (2e4 + std::log(2.0)) / 2);
    CHECK(step(x, t).grad(0, 1) == 0);
}

TEST_CASE("cross_entropy: small losses keep their digits") {
    ad::tensor<double, 1, 2> const x{{1000, 960}};
    auto const [value, g] = ad::value_and_grad<0>(mean_loss)(x, ad::tensor<int, 1>{0});
    CHECK(std::abs(value - std::exp(-40.0)) < 1e-15);  // log(1 + e) of a sum near 1
    CHECK(std::abs(g(0, 1) / std::exp(-40.0) - 1) < 1e-13);
}

TEST_CASE("cross_entropy: where everything is ignored the sum is 0, the mean is not a number, and the gradient is 0") {
    ad::tensor<double, ad::dyn, 3> x(2);
    ad::fill(x, 2.0);
    ad::tensor<int, ad::dyn> t(2);
    ad::fill(t, -100);
    auto const [value, g] = ad::value_and_grad<0>(mean_loss)(x, t);
    CHECK(std::isnan(value));
    for (double v : g) CHECK(v == 0);
    constexpr auto total = [](auto a, auto b) { return ad::loss::cross_entropy<reduction::sum>(a, b); };
    auto const sum_of_nothing =
        ad::value_and_grad<0>(total)(ad::tensor<double, ad::dyn, 3>(0), ad::tensor<int, ad::dyn>(0));
    CHECK(sum_of_nothing.value == 0);
    CHECK(std::isnan(ad::evaluate(mean_loss, ad::tensor<double, ad::dyn, 3>(0), ad::tensor<int, ad::dyn>(0))));
}

TEST_CASE("cross_entropy: one class is no question") {
    ad::tensor<float, 3, 1> const x{{5}, {-1e4f}, {0}};
    auto const [value, g] = ad::value_and_grad<0>(mean_loss)(x, ad::tensor<int, 3>{0, 0, 0});
    CHECK(value == 0);
    CHECK(g == ad::tensor<float, 3, 1>{{0}, {0}, {0}});
}

TEST_CASE("cross_entropy: every length of a row, float, in memory of any strides") {
    constexpr auto each = [](auto x, auto t) { return ad::loss::cross_entropy<reduction::none>(x, t); };
    auto losses = ad::fused(each);
    for (std::size_t c : std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33}) {
        INFO(c << " classes");
        std::vector<float> memory(3 * c * 2);
        for (std::size_t i = 0; i < memory.size(); ++i)
            memory[i] = static_cast<float>(4 * std::sin(1.3 * static_cast<double>(i)));
        ad::view<float, ad::dyn, ad::dyn> const x(memory.data(), 3, c,
                                                  std::array<std::ptrdiff_t, 2>{2 * static_cast<std::ptrdiff_t>(c), 2});
        ad::tensor<std::int64_t, ad::dyn> t(3);
        for (std::size_t i = 0; i < 3; ++i) t(i) = static_cast<std::int64_t>(i * 5 % c);
        auto const y = losses(x, t);
        for (std::size_t i = 0; i < 3; ++i) {
            auto const expected = loss_of([&](std::size_t k) { return x(i, k); }, c, static_cast<std::size_t>(t(i)));
            CHECK(std::abs(static_cast<long double>(y(i)) - expected) < 4e-7L * (1 + expected));
        }
    }
}

TEST_CASE("cross_entropy: central differences, with weights and smoothing, also of the gradient") {
    ad::tensor<double, 3, 4> x;
    double next = 0.1;
    for (auto& v : x) v = 2 * std::sin(next += 1.1);
    ad::tensor<int, 3> const t{2, -100, 0};
    ad::tensor<double, 4> const w{0.5, 1, 2, 0.1};
    CHECK(ad::check_gradient<0, 2>(weighted_sum, x, t, w).passed);
    constexpr auto of_gradient = [](auto a, auto b, auto c) { return sum(sin(ad::grad<0>(weighted_sum)(a, b, c))); };
    CHECK(ad::check_gradient<0>(of_gradient, x, t, w).passed);
    constexpr auto log_probabilities = [](auto a, auto b, auto c) { return ad::loss::nll(ad::log_softmax(a), b, c); };
    constexpr auto scores = [](auto a, auto b, auto c) { return ad::loss::cross_entropy(a, b, c); };
    CHECK(ad::check_gradient<0>(log_probabilities, x, t, w).passed);
    CHECK(std::abs(ad::evaluate(log_probabilities, x, t, w) - ad::evaluate(scores, x, t, w)) < 1e-14);
}

TEST_CASE("cross_entropy: rows are read once, and no array of their size is stored") {
    using X = ad::tensor<float, 64, 10>;
    auto const plan = ad::value_and_grad<0>(mean_loss).plan<X, ad::tensor<std::int64_t, 64>>();
    CHECK(plan.passes_over<64, 10>() == 1);
    CHECK(plan.own_loops() == 0);
    CHECK(plan.workspace_bytes() < 64 * 10 * 4);
    // the same behind a product: scores, losses and their gradients in the pass that makes the scores
    constexpr auto layer = [](auto w, auto x, auto t) { return ad::loss::cross_entropy(matmul(x, w), t); };
    auto const behind =
        ad::value_and_grad<0>(layer).plan<ad::tensor<float, 8, 10>, ad::tensor<float, 64, 8>, ad::tensor<int, 64>>();
    CHECK(behind.passes_over<64, 10>() == 1);
    CHECK(behind.products() == 2);
}

TEST_CASE("cross_entropy: half storage") {
    ad::tensor<ad::half, 2, 3> x;
    ad::tensor<float, 2, 3> y;
    for (std::size_t i = 0; i < 6; ++i) x.data()[i] = ad::half(y.data()[i] = static_cast<float>(i) * 0.5f - 1);
    ad::tensor<int, 2> const t{2, 0};
    auto const a = ad::value_and_grad<0>(mean_loss)(x, t);
    auto const b = ad::value_and_grad<0>(mean_loss)(y, t);
    CHECK(a.value == b.value);
    for (std::size_t i = 0; i < 6; ++i)
        CHECK(static_cast<float>(a.grad.data()[i]) == static_cast<float>(ad::half(b.grad.data()[i])));
}

TEST_CASE("cross_entropy: targets that fit no class or no row throw before anything is written") {
    ad::tensor<double, ad::dyn, 3> x(2), g(2);
    ad::fill(x, 1.0);
    ad::fill(g, -7.0);
    ad::tensor<int, ad::dyn> t(2), longer(3);
    ad::fill(longer, 0);
    t(0) = 1;
    auto step = ad::value_and_grad<0>(mean_loss);
    for (int wrong : {3, -1, -99, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
        t(1) = wrong;
        CHECK(index_message([&] { step(ad::into(g), x, t); }) ==
              "cross_entropy: the index " + std::to_string(wrong) +
                  " at (1) of argument 1 is out of range: 0 ... 2 are valid, and -100");
    }
    CHECK_THROWS_AS(step(ad::into(g), x, longer), ad::shape_error);
    for (double v : g) CHECK(v == -7);
    constexpr auto weighted = [](auto a, auto b, auto w) {
        return ad::loss::nll(a, b, w) + ad::loss::cross_entropy(a, b, w);
    };
    t(1) = 2;
    CHECK_THROWS_AS(ad::grad<0>(weighted)(x, t, ad::tensor<double, ad::dyn>(2)), ad::shape_error);
    // targets that the function computes
    constexpr auto of_best = [](auto a) { return ad::loss::cross_entropy(a, argmax<1>(a) + 1); };
    x(1, 2) = 5;
    CHECK(
        mentions(index_message([&] { ad::evaluate(of_best, x); }), {"cross_entropy: the index 3 at (1)", "computed"}));
    x(1, 1) = 6;
    CHECK(ad::evaluate(of_best, x) > 0);
}
