// SPDX-License-Identifier: MIT
// ctc: the reference vectors, every path of small lattices, large ones, special samples, strides, plans.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>

#include "functional/loss/ctc_paths.hpp"
#include "ops/reference_cases.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;
using ad::loss::reduction;

namespace {

using integers = ad::tensor<std::int64_t, dyn>;
using labels = ad::tensor<std::int64_t, dyn, dyn>;
template <class T>
using cube = ad::tensor<T, dyn, dyn, dyn>;

/// All three reductions of one loss, each times a cotangent: the gradients of those are the values. Log-probabilities
/// are x itself, or those of scores x where `scores` is 1.
template <std::int64_t Blank, bool ZeroInfinity>
constexpr auto weighted = [](auto x, auto targets, auto steps, auto lengths, auto each, auto mean, auto total,
                             auto scores) {
    auto const p = ad::let(scores * log_softmax<-1>(x) + (1 - scores) * x);
    constexpr ad::loss::ctc_options o{.blank = Blank, .zero_infinity = ZeroInfinity};
    return sum(each * ad::loss::ctc<reduction::none>(p, targets, steps, lengths, o)) +
           mean * ad::loss::ctc(p, targets, steps, lengths, o) +
           total * ad::loss::ctc<reduction::sum>(p, targets, steps, lengths, o);
};

/// Both operations; returns how many cases there were.
template <class T, std::int64_t Blank, bool ZeroInfinity>
std::size_t run_cases() {
    using reference::shape_pattern, reference::run;
    auto gradient = ad::grad<0, 4, 5, 6>(weighted<Blank, ZeroInfinity>);
    std::size_t n = 0;
    for (std::string const op : {"ctc", "ctc_log_probs"}) {
        std::string const name = op == "ctc" ? "logits" : "log_probs";
        for (auto const& c : reference::cases(reference::file_of<T>("loss_ctc"), op)) {
            if (c.integer("blank") != Blank || c.flag("zero_infinity") != ZeroInfinity) continue;
            auto const& word = c.word("reduction");
            auto const lengths = shape_pattern<run>::make<std::int64_t>(c.in("target_lengths"));
            ad::tensor<T, dyn> each(lengths.size());
            if (word == "none") each = shape_pattern<run>::make<T>(c.cot());
            auto const of = [&](char const* reduced) {
                return word == reduced ? static_cast<T>(c.cot().item()) : T(0);
            };
            auto const x = shape_pattern<run, run, run>::make<T>(c.in(name));
            auto const targets = shape_pattern<run, run>::make<std::int64_t>(c.in("targets"));
            auto const steps = shape_pattern<run>::make<std::int64_t>(c.in("input_lengths"));
            auto const [dx, values, mean, total] =
                gradient(x, targets, steps, lengths, each, of("mean"), of("sum"), T(op == "ctc"));
            if (word == "none") CHECK(check_close(c.out(), values, c, "out") == "");
            else if (word == "mean") CHECK(check_close(c.out(), mean, c, "out") == "");
            else if (word == "sum") CHECK(check_close(c.out(), total, c, "out") == "");
            else FAIL_CHECK(c.id << ": " << word);
            CHECK(check_close(c.grad(name), dx, c, "gradient") == "");
            ++n;
        }
    }
    return n;
}

using steps_and_labels = std::vector<std::pair<std::size_t, std::vector<std::int64_t>>>;

/// A batch of samples, each with its own steps and labels; targets that are padding are no classes.
struct batch {
    cube<double> x;
    labels targets;
    integers steps, lengths;
    ad::tensor<double, dyn> g;
    std::vector<ctc_paths::sample> samples;

    batch(std::size_t longest, std::size_t classes, std::size_t most, steps_and_labels const& of, double scale = 1)
        : x(longest, of.size(), classes), targets(of.size(), most), steps(of.size()), lengths(of.size()), g(of.size()) {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> some(-3, 0);
        for (auto& v : x) v = scale * some(random);
        std::fill(targets.begin(), targets.end(), -99);
        for (std::size_t n = 0; n < of.size(); ++n) {
            auto const& [t, y] = of[n];
            g(n) = 1 + some(random);
            steps(n) = static_cast<std::int64_t>(t);
            lengths(n) = static_cast<std::int64_t>(y.size());
            for (std::size_t j = 0; j < y.size(); ++j) targets(n, j) = y[j];
            ctc_paths::sample s{{}, t, classes, y};
            for (std::size_t i = 0; i < t; ++i)
                for (std::size_t c = 0; c < classes; ++c) s.log_probs.push_back(x(i, n, c));
            samples.push_back(s);
        }
    }
};

constexpr auto losses = [](auto x, auto targets, auto steps, auto lengths, auto g) {
    return std::tuple(sum(g * ad::loss::ctc<reduction::none>(x, targets, steps, lengths)),
                      ad::loss::ctc<reduction::none>(x, targets, steps, lengths));
};

/// Compares a batch with what `expected` says of each of its samples; a gradient of NaN is expected where the loss is
/// infinite.
template <class Expected>
void compare(batch const& b, Expected expected, double tolerance) {
    static auto gradient = ad::value_and_grad<0>(losses);
    auto const [value, dx] = gradient(b.x, b.targets, b.steps, b.lengths, b.g);
    auto const& each = std::get<1>(value);
    for (std::size_t n = 0; n < b.samples.size(); ++n) {
        ctc_paths::sample const& s = b.samples[n];
        ctc_paths::answer const a = expected(s);
        INFO("sample " << n << ", " << s.steps << " steps, " << s.labels.size() << " labels, loss " << a.loss);
        if (std::isinf(a.loss)) CHECK(std::isinf(each(n)));
        else CHECK(std::abs(each(n) - a.loss) <= tolerance * (1 + std::abs(a.loss)));
        std::size_t wrong = 0;
        for (std::size_t t = 0; t < b.x.extent(0); ++t)
            for (std::size_t c = 0; c < s.classes; ++c) {
                double const d = dx(t, n, c);
                if (t >= s.steps) wrong += d != 0;
                else if (std::isinf(a.loss)) wrong += !std::isnan(d);
                else wrong += !(std::abs(d + b.g(n) * a.share[t * s.classes + c]) <= tolerance);
            }
        CHECK(wrong == 0);
    }
}

}  // namespace

TEMPLATE_TEST_CASE("ctc: the reference vectors", "", float, double) {
    std::string const file = reference::file_of<TestType>("loss_ctc");
    auto const n = run_cases<TestType, 0, false>() + run_cases<TestType, 3, false>() + run_cases<TestType, 0, true>();
    CHECK((n > 0 && n == reference::count_in_file(file, "ctc") + reference::count_in_file(file, "ctc_log_probs")));
}

TEST_CASE(
    "ctc: the sum over all paths, for all labels and numbers of steps; impossible ones have loss inf and gradient "
    "NaN") {
    steps_and_labels all;
    for (std::size_t t = 0; t <= 5; ++t)
        for (std::size_t length = 0; length <= 4; ++length)
            for (std::size_t number = 0; number < (std::size_t{1} << length); ++number) {
                std::vector<std::int64_t> y;
                for (std::size_t j = 0; j < length; ++j) y.push_back(1 + static_cast<std::int64_t>(number >> j & 1));
                all.push_back({t, y});
            }
    compare(batch(6, 3, 4, all), ctc_paths::by_all_paths, 1e-14);
}

TEST_CASE("ctc: lattices of many steps and labels, whatever the logarithms") {
    steps_and_labels all;
    std::mt19937 random(3);
    for (std::size_t length : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 20u}) {
        std::vector<std::int64_t> y;
        for (std::size_t j = 0; j < length; ++j) y.push_back(1 + static_cast<std::int64_t>(random() % 4));
        all.push_back({50 - length / 3, y});
    }
    compare(batch(50, 5, 20, all), ctc_paths::by_logarithms, 1e-12);
    // one path outweighs all others by e^1000 and more
    compare(batch(50, 5, 20, all, 1e4), ctc_paths::by_logarithms, 1e-12);
    compare(batch(50, 5, 20, all, 1e-4), ctc_paths::by_logarithms, 1e-12);
}

TEST_CASE("ctc: log-probabilities of -inf, of a number near that, of NaN, and of exactly 0") {
    double const inf = std::numeric_limits<double>::infinity();
    static auto gradient = ad::value_and_grad<0>(losses);
    // steps 2, label 1: (1, 1), (0, 1), (1, 0)
    batch b(2, 2, 1, {{2, {1}}, {2, {1}}, {2, {1}}, {2, {1}}, {2, {1}}, {2, {1}}});
    auto put = [&](std::size_t n, double blank0, double one0, double blank1, double one1) {
        b.x(0, n, 0) = blank0, b.x(0, n, 1) = one0, b.x(1, n, 0) = blank1, b.x(1, n, 1) = one1;
    };
    put(0, -inf, 0, 0, -inf);          // certain
    put(1, 0, -inf, 0, -inf);          // impossible
    put(2, -1e30, -2e30, 0, -1e30);    // next to it
    put(3, 0, std::nan(""), 0, 0);
    put(4, -inf, -inf, -inf, -inf);
    put(5, 0, -inf, 0, -inf);
    b.g(5) = 0;  // asks nothing of its gradient
    auto const [value, dx] = gradient(b.x, b.targets, b.steps, b.lengths, b.g);
    auto const& each = std::get<1>(value);
    CHECK((each(0) == 0 && dx(0, 0, 0) == 0 && dx(0, 0, 1) == -b.g(0) && dx(1, 0, 0) == -b.g(0) && dx(1, 0, 1) == 0));
    CHECK((each(1) == inf && std::isnan(dx(0, 1, 0)) && std::isnan(dx(1, 1, 1))));
    CHECK(std::abs(each(2) - 2e30) < 1e16);
    CHECK((std::isnan(each(3)) && std::isnan(dx(0, 3, 0)) && std::isnan(dx(1, 3, 1))));
    CHECK((each(4) == inf && std::isnan(dx(0, 4, 0))));
    CHECK((each(5) == inf && dx(0, 5, 0) == 0 && dx(1, 5, 1) == 0));
}

TEST_CASE("ctc: batches of nothing, of no steps, and targets without a place") {
    auto gradient = ad::value_and_grad<0>([](auto x, auto y, auto t, auto l) {
        return std::tuple(ad::loss::ctc<reduction::sum>(x, y, t, l, {.zero_infinity = true}),
                          ad::loss::ctc(x, y, t, l, {.zero_infinity = true}));
    });
    auto const [nothing, dx] = gradient(cube<double>(3, 0, 2), labels(0, 2), integers(0), integers(0));
    CHECK((std::get<0>(nothing) == 0 && std::isnan(std::get<1>(nothing)) && dx.size() == 0));
    auto const [no_steps, dx1] = gradient(cube<double>(0, 2, 2), labels{{1}, {-1}}, integers{0, 0}, integers{1, 0});
    CHECK((std::get<0>(no_steps) == 0 && std::get<1>(no_steps) == 0 && dx1.size() == 0));
    auto const [no_labels, dx2] =
        gradient(cube<double>{{{-0.5, -1}}, {{-0.25, -2}}}, labels(1, 0), integers{2}, integers{0});
    CHECK((std::get<0>(no_labels) == 0.75 && std::get<1>(no_labels) == 0.75));
    CHECK(dx2 == cube<double>{{{-1, 0}}, {{-1, 0}}});
    auto const [impossible, dx3] =
        gradient(cube<double>{{{-0.5, -1}}, {{-0.25, -2}}}, labels{{1, 1}}, integers{2}, integers{2});
    CHECK((std::get<0>(impossible) == 0 && dx3 == cube<double>(2, 1, 2)));
}

TEST_CASE("ctc: central differences in scores, and a factor that depends on the loss") {
    ad::tensor<double, 5, 2, 4> x;
    double next = 0.3;
    for (auto& v : x) v = 2 * std::sin(next += 1.7);
    ad::tensor<int, 2, 3> const y{{1, 1, 3}, {2, 0, 0}};
    std::vector<std::int64_t> const steps{5, 3};
    std::array<int, 2> const lengths{3, 1};
    // probabilities: the cotangents of the losses need the losses
    constexpr auto probabilities = [](auto s, auto t, auto a, auto b) {
        return sum(exp(-ad::loss::ctc<reduction::none>(log_softmax(s), t, a, b)));
    };
    CHECK(ad::check_gradient<0>(probabilities, x, y, steps, lengths));
    constexpr auto scores = [](auto s, auto t, auto a, auto b) { return ad::loss::ctc(log_softmax(s), t, a, b); };
    CHECK(ad::check_gradient<0>(scores, x, y, steps, lengths));
}

TEST_CASE("ctc: log-probabilities, labels, lengths and gradients with any strides, and axes exchanged") {
    static constexpr auto f = [](auto x, auto y, auto t, auto l, auto g) {
        return sum(g * ad::loss::ctc<reduction::none>(permute<1, 0, 2>(x), y, t, l));
    };
    batch const b(6, 3, 3, {{6, {1, 2}}, {4, {2, 2, 1}}, {5, {1}}});
    auto const expected = ad::grad<0>(losses)(b.x, b.targets, b.steps, b.lengths, b.g);
    std::vector<double> room(400), to(400, 5);
    std::vector<std::int64_t> labels_room(50, -5), lengths_room(30, 1000);
    using strides = std::array<std::ptrdiff_t, 3>;
    ad::view<double, dyn, dyn, dyn> const x(room.data(), 3, 6, 3, strides{7, 25, 2});
    ad::view<double, dyn, dyn, dyn> const dx(to.data(), 3, 6, 3, strides{3, 20, 1});
    ad::view<std::int64_t, dyn, dyn> const y(labels_room.data(), 3, 3, std::array<std::ptrdiff_t, 2>{2, 10});
    ad::view<std::int64_t, dyn> const t(lengths_room.data(), 3, std::array<std::ptrdiff_t, 1>{3});
    ad::view<std::int64_t, dyn> const l(lengths_room.data() + 2, 3, std::array<std::ptrdiff_t, 1>{5});
    for (std::size_t n = 0; n < 3; ++n) {
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t c = 0; c < 3; ++c) x(n, i, c) = b.x(i, n, c);
        for (std::size_t j = 0; j < 3; ++j) y(n, j) = b.targets(n, j);
        t(n) = b.steps(n);
        l(n) = b.lengths(n);
    }
    (void)ad::value_and_grad<0>(f)(ad::into(dx), x, y, t, l, b.g);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t c = 0; c < 3; ++c) wrong += dx(n, i, c) != expected(i, n, c);
    CHECK(wrong == 0);
    CHECK(std::count(to.begin(), to.end(), 5.0) == 400 - 54);
}

TEST_CASE("ctc: loss and gradient are one sweep, the forward pass alone needs room for two steps") {
    using x = ad::tensor<float, 100, 16, 32>;
    using y = ad::tensor<int, 16, 20>;
    using n = ad::tensor<int, 16>;
    constexpr auto f = [](auto p, auto t, auto a, auto b) { return ad::loss::ctc(p, t, a, b); };
    constexpr auto plan = decltype(ad::value_and_grad<0>(f))::plan<x, y, n, n>();
    STATIC_REQUIRE(plan.own_loops() == 1);
    STATIC_REQUIRE(plan.workspace_bytes() < 160000);
    constexpr auto forward = decltype(ad::fused(f))::plan<x, y, n, n>();
    STATIC_REQUIRE(forward.own_loops() == 1);
    STATIC_REQUIRE(forward.workspace_bytes() < 7000);
}

TEST_CASE("ctc: what an earlier call left in the workspace does not matter") {
    constexpr auto sum_of = [](auto x, auto y, auto t, auto l) {
        return ad::loss::ctc<ad::loss::reduction::sum>(x, y, t, l);
    };
    auto const call = [](auto& f, std::size_t steps, std::size_t labels, bool poisoned) {
        ad::tensor<double, ad::dyn, ad::dyn, ad::dyn> x(steps, 2, 4);
        double next = 0.2;
        for (auto& v : x)
            v = poisoned ? std::numeric_limits<double>::quiet_NaN() : -1 - std::abs(std::sin(next += 0.9));
        ad::tensor<int, ad::dyn, ad::dyn> y(2, labels);
        for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = 1 + static_cast<int>(i % 3);
        ad::tensor<int, ad::dyn> t(2), l(2);
        ad::fill(t, static_cast<int>(steps));
        ad::fill(l, static_cast<int>(labels));
        return f(x, y, t, l);
    };
    for (std::size_t labels : std::initializer_list<std::size_t>{0, 1, 2, 3, 5, 8}) {
        auto used = ad::value_and_grad<0>(sum_of);
        auto fresh = ad::value_and_grad<0>(sum_of);
        call(used, 30, 9, true);
        auto const a = call(used, 2 * labels + 1, labels, false);
        auto const b = call(fresh, 2 * labels + 1, labels, false);
        CHECK(std::isfinite(a.value));
        CHECK(a.value == b.value);
        CHECK(a.grad == b.grad);
    }
}
