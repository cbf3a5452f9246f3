// SPDX-License-Identifier: MIT
// Loss scales: how they change, what is skipped, and gradients in half that would be lost without them.

#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity(), no_number = std::numeric_limits<float>::quiet_NaN();

/// A small loss: its gradients are about 1e-8.
constexpr auto loss = [](auto const& w, auto x, auto y) { return 1e-8 * sum(square(w * x - y)); };
/// Parameters of float, computed with as numbers of type T; the second result is not differentiated.
template <class T>
constexpr auto in_type = [](auto const& w, auto x) {
    auto h = ad::let(ad::cast<T>(w) * ad::cast<T>(x));
    return std::tuple(sum(square(h)), sum(h));
};

/// Whether every element but the bad one is divided by the scale.
template <class T>
bool is_unscaled(std::size_t n, ad::optim::loss_scale const& scale, std::ptrdiff_t bad, double what) {
    std::tuple<std::vector<T>, double> g{std::vector<T>(n), 3.0};
    auto& v = std::get<0>(g);
    auto const number = [](std::size_t i) { return static_cast<double>(i % 100) - 2; };
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(number(i));
    if (bad >= 0) v[static_cast<std::size_t>(bad)] = static_cast<T>(what);
    bool const finite = scale.unscale(g);
    CHECK(finite == (bad < 0));
    bool right = std::get<1>(g) == 3.0 / double(scale.value());
    for (std::size_t i = 0; i < n; ++i)
        if (static_cast<std::ptrdiff_t>(i) != bad)
            right = right && static_cast<double>(v[i]) == number(i) / double(scale.value());
    return right;
}

}  // namespace

TEST_CASE("loss_scale: grows after so many good steps one after the other, up to a maximum") {
    ad::optim::loss_scale scale({.initial = 8, .growth = 4, .interval = 3, .maximum = 100});
    std::vector<float> seen;
    for (int i = 0; i < 9; ++i) {
        scale.update(true);
        seen.push_back(scale.value());
    }
    CHECK(seen == std::vector<float>{8, 8, 32, 32, 32, 100, 100, 100, 100});
    CHECK(scale.state().skipped == 0);
}

TEST_CASE("loss_scale: halves at an overflow, down to a minimum, and counts good steps anew") {
    ad::optim::loss_scale scale({.initial = 8, .interval = 2, .minimum = 3});
    scale.update(true);
    scale.update(false);
    CHECK(scale.value() == 4);
    scale.update(true);
    CHECK(scale.value() == 4);
    scale.update(true);
    CHECK(scale.value() == 8);
    for (int i = 0; i < 4; ++i) scale.update(false);
    CHECK(scale.value() == 3);
    CHECK(scale.state().skipped == 5);
    ad::optim::loss_scale copy({.initial = 8, .interval = 2, .minimum = 3});
    copy.state() = scale.state();
    copy.update(false), scale.update(false);
    CHECK(copy.state() == scale.state());
}

TEST_CASE("loss_scale: a fixed one stays as it is, and skips too") {
    ad::optim::loss_scale scale({.initial = 1024, .dynamic = false, .interval = 1});
    scale.update(true);
    CHECK(scale.value() == 1024);
    double x = 1;
    ad::optim::sgd o(x, {.learning_rate = 1});
    double g = std::numeric_limits<double>::infinity();
    CHECK(!scale.step(o, x, g));
    CHECK(scale.value() == 1024);
    CHECK(scale.state().skipped == 1);
    g = 512;
    CHECK(scale.step(o, x, g));
    CHECK(x == 0.5);
}

TEMPLATE_TEST_CASE("unscale: every element is divided, an inf or NaN is found wherever it is", "", float, double,
                   ad::bfloat16) {
    ad::optim::loss_scale const scale({.initial = 256});
    for (std::size_t n : {0u, 1u, 3u, 4u, 7u, 8u, 9u, 16u, 17u, 300u}) {
        CHECK(is_unscaled<TestType>(n, scale, -1, 0));
        for (std::ptrdiff_t bad = 0; bad < static_cast<std::ptrdiff_t>(n); ++bad)
            for (float what : {infinite, -infinite, no_number})
                CHECK(is_unscaled<TestType>(n, scale, bad, double(what)));
    }
}

TEST_CASE("unscale: strided views, and what overflows when divided by a scale below 1") {
    std::vector<float> memory{2, 7, infinite, 7, 8};
    ad::optim::loss_scale const scale({.initial = 2});
    ad::view<float, dyn> const v(memory.data(), 3, std::array<std::ptrdiff_t, 1>{2});
    CHECK(!scale.unscale(v));
    CHECK(memory == std::vector<float>{1, 7, infinite, 7, 4});
    ad::optim::loss_scale const small({.initial = 0x1p-10, .dynamic = false});
    float g = 1e37f;
    CHECK(!small.unscale(g));
    CHECK(std::isinf(g));
}

TEST_CASE("step: with an inf or NaN in the gradient, model and optimiser stay as they are, and the scale halves") {
    std::tuple<std::vector<float>, ad::tensor<double, dyn>> model{{1, 2, 3}, {4, 5}}, g{{8, 16, 24}, {32, 40}};
    ad::optim::adam o(model, {.learning_rate = 0.1}), other = o;
    auto expected = model;
    ad::optim::loss_scale scale({.initial = 8, .interval = 2});
    for (double what : {double(infinite), double(no_number)}) {
        auto const state = o.state();
        auto const before = model;
        auto bad = g;
        std::get<1>(bad)(1) = what;
        CHECK(!scale.step(o, model, bad));
        CHECK(o.state() == state);
        CHECK(model == before);
    }
    CHECK(scale.value() == 2);
    CHECK(scale.step(o, model, g));
    other.step(expected, std::tuple<std::vector<float>, ad::tensor<double, dyn>>{{4, 8, 12}, {16, 20}});
    CHECK(model == expected);
    CHECK(o.state() == other.state());
}

TEST_CASE("scaled: gradients that are 0 in half without a scale arrive with it, and train a model kept in float") {
    using half = ad::half;
    std::vector<float> model(13), g(13), y(13);
    std::vector<half> w(13), x(13), stored(13);
    for (std::size_t i = 0; i < 13; ++i) {
        x[i] = half(0.5 + 0.0625 * static_cast<double>(i));
        y[i] = 0.25f * static_cast<float>(x[i]);
        model[i] = w[i] = half(0.5);
    }
    auto gradient_of = ad::value_and_grad<0>(ad::optim::scaled(loss));
    float const value = gradient_of(ad::into(stored), w, x, y, 1.0f);
    for (half v : stored) CHECK(v == 0);
    CHECK(value > 0);

    ad::optim::loss_scale scale({.initial = 0x1p20, .dynamic = false});
    CHECK(gradient_of(ad::into(stored), w, x, y, scale.value()) == value * 0x1p20f);
    CHECK(scale.unscale(stored, g));
    for (std::size_t i = 0; i < 13; ++i) {
        double const xi = double(float(x[i])), right = 2e-8 * xi * (0.5 * xi - double(y[i]));
        CHECK(std::abs(double(g[i]) / right - 1) < 1e-3);  // half has 11 digits of 2
    }

    // a scale that begins too high is halved until no gradient overflows
    ad::optim::loss_scale dynamic({.initial = 0x1p60, .interval = 1000, .maximum = 0x1p60});
    ad::optim::sgd o(model, {.learning_rate = 2e7});
    int taken = 0;
    for (int i = 0; i < 120; ++i) {
        for (std::size_t k = 0; k < 13; ++k) w[k] = half(model[k]);
        gradient_of(ad::into(stored), w, x, y, dynamic.value());
        taken += dynamic.step(o, model, stored, g);
    }
    CHECK(taken + dynamic.state().skipped == 120);
    CHECK(dynamic.state().skipped > 10);
    CHECK(dynamic.state().skipped < 40);
    for (float m : model) CHECK(std::abs(m - 0.25f) < 1e-3f);
}

TEMPLATE_TEST_CASE(
    "scaled: computing in half or bfloat16 by cast, gradients in float that a power of two does not change", "",
    ad::half, ad::bfloat16) {
    std::vector<float> w(19), x(19);
    for (std::size_t i = 0; i < 19; ++i) {
        w[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i)));
        x[i] = 1e-6f * static_cast<float>(i);  // in half a few digits, and the gradients would be 0
    }
    auto gradient_of = ad::value_and_grad<0>(ad::optim::scaled(in_type<TestType>));
    auto const [values, plain] = gradient_of(w, x, 1.0f);
    static_assert(std::is_same_v<decltype(plain), std::vector<float> const>);
    for (std::size_t i = 1; i < 19; ++i) {
        float const a = float(TestType(w[i])), b = float(TestType(x[i]));
        CHECK(plain[i] == 2 * (a * b) * b);
    }
    ad::optim::loss_scale scale;
    auto [scaled_values, g] = gradient_of(w, x, scale.value());
    CHECK(std::get<0>(scaled_values) == 65536 * std::get<0>(values));
    CHECK(std::get<1>(scaled_values) == std::get<1>(values));
    CHECK(scale.unscale(g));
    CHECK(g == plain);

    w[5] = 1e5f;  // too large for half alone
    ad::optim::adam o(w);
    auto const before = w;
    auto overflown = gradient_of(w, x, scale.value()).grad;
    CHECK(scale.step(o, w, overflown) == std::is_same_v<TestType, ad::bfloat16>);
    CHECK((w == before) == std::is_same_v<TestType, ad::half>);
}

TEST_CASE("errors: trees of other lengths, and options that make no sense, are refused by name") {
    ad::optim::loss_scale scale;
    std::vector<ad::half> const from(3);
    std::vector<float> to(4, 5.0f);
    CHECK(mentions(message_of([&] { (void)scale.unscale(from, to); }), {"loss_scale", "array 0", "(4)", "(3)"}));
    CHECK(to == std::vector<float>(4, 5.0f));
    using options = ad::optim::loss_scale_options;
    for (options const& o : {options{.initial = 0}, options{.initial = double(no_number)}, options{.initial = 1e40},
                             options{.initial = 0.5}, options{.initial = 8, .maximum = 4}, options{.growth = 0.5},
                             options{.backoff = 1}, options{.interval = 0}}) {
        CHECK_THROWS_AS(ad::optim::loss_scale(o), std::invalid_argument);
        ad::optim::loss_scale changed;
        changed.options = o;
        CHECK_THROWS_AS(changed.update(true), std::invalid_argument);
    }
}
