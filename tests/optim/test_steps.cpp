// SPDX-License-Identifier: MIT
// sgd, adam and adamw: the first steps, on trees of every kind of array.

#include <array>
#include <span>
#include <tuple>
#include <vector>

#include "optim/recurrence.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class T>
struct tree {
    std::vector<T> row;
    T number = 0;
    std::tuple<ad::tensor<T, dyn, 3>, std::array<T, 5>> pair;
    std::array<ad::tensor<T, 2, 2>, 2> both;
};
template <class T>
tree<T> make_tree(std::size_t n) {
    return {std::vector<T>(n), T(0), {ad::tensor<T, dyn, 3>(n / 2), {}}, {}};
}

constexpr std::size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 300};

template <class T>
constexpr double tolerance = std::is_same_v<T, double> ? 1e-14 : 2e-6;

template <template <class, auto...> class Tensor>
struct Mlp {
    Tensor<float, 2, 32> w1;
    Tensor<float, 32> b1;
    Tensor<float, 32, 3> w2;
    Tensor<float, 3> b2;
};

}  // namespace

TEMPLATE_TEST_CASE("sgd: with momentum, dampening, Nesterov's and weight decay: the steps of the recurrence", "", float,
                   double) {
    using ad::optim::sgd_options;
    for (sgd_options const& o :
         {sgd_options{.learning_rate = 0.1}, sgd_options{.learning_rate = 0.1, .momentum = 0.9},
          sgd_options{.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.3},
          sgd_options{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true},
          sgd_options{.learning_rate = 0.1, .weight_decay = 0.2},
          sgd_options{.learning_rate = 0.1, .momentum = 0.5, .weight_decay = 0.2, .nesterov = true}})
        for (std::size_t n : lengths) {
            auto const m = make_tree<TestType>(n);
            CHECK(recurrence::largest_difference<ad::optim::sgd>(m, m, recurrence::sgd{o}, o) < tolerance<TestType>);
        }
}

TEMPLATE_TEST_CASE("adam, adamw: with weight decay and amsgrad the steps of the recurrence", "", float, double) {
    for (std::size_t n : lengths) {
        auto const m = make_tree<TestType>(n);
        for (bool amsgrad : {false, true})
            for (double decay : {0.0, 0.1}) {
                ad::optim::adam_options const a{.learning_rate = 0.05, .weight_decay = decay, .amsgrad = amsgrad};
                CHECK(recurrence::largest_difference<ad::optim::adam>(m, m, recurrence::adam{a}, a) <
                      tolerance<TestType>);
                ad::optim::adamw_options const w{
                    .beta1 = 0.5, .beta2 = 0.9, .eps = 1e-3, .weight_decay = decay, .amsgrad = amsgrad};
                CHECK(recurrence::largest_difference<ad::optim::adamw>(m, m, recurrence::adamw{w}, w) <
                      tolerance<TestType>);
            }
    }
}

TEST_CASE("steps: arrays longer than what one thread takes at a time") {
    auto const m = make_tree<float>(40'001);
    ad::optim::sgd_options const o{.learning_rate = 0.1, .momentum = 0.9};
    CHECK(recurrence::largest_difference<ad::optim::sgd>(m, m, recurrence::sgd{o}, o) < tolerance<float>);
}
TEST_CASE("adam, adamw, sgd: the defaults are PyTorch's") {
    double x = 1, y = 1, z = 1;
    ad::optim::adam a(x);
    a.step(x, 0.5);
    CHECK(std::abs(x - (1 - 1e-3 * 0.5 / (0.5 + 1e-8))) < 1e-15);
    ad::optim::adamw w(y);
    w.step(y, 0.5);
    CHECK(std::abs(y - ((1 - 1e-3 * 1e-2) - 1e-3 * 0.5 / (0.5 + 1e-8))) < 1e-15);
    ad::optim::sgd s(z);
    s.step(z, 0.5);
    CHECK(z == 1 - 1e-3 * 0.5);
    CHECK(ad::optim::adam_options{}.beta1 == 0.9);
    CHECK(ad::optim::adam_options{}.beta2 == 0.999);
}

TEST_CASE("steps: a struct template over a tensor template, made and stepped in two lines") {
    Mlp<ad::tensor> model, g;
    ad::fill(model.w1, 1.0f);
    ad::fill(g.w1, -2.0f);
    ad::fill(g.b2, 3.0f);
    ad::optim::adam optimizer(model, {.learning_rate = 0.02f});
    optimizer.step(model, g);
    for (float x : model.w1) CHECK(std::abs(x - 1.02f) < 1e-6f);
    for (float x : model.b1) CHECK(x == 0);
    for (float x : model.b2) CHECK(std::abs(x + 0.02f) < 1e-6f);
    CHECK(optimizer.state().steps == 1);
    CHECK(optimizer.state().mean.size() == 4);
    CHECK(optimizer.state().mean.array<float>(3).size() == 3);
    CHECK(std::abs(optimizer.state().mean.array<float>(3)[2] - 0.3f) < 1e-7f);
}

TEST_CASE("steps: a mixed tree of float and double, by references and in the user's own memory") {
    std::vector<float> w{1, 2, 3};
    double b = 4;
    std::array<double, 2> memory{5, 6};
    auto model = [&] { return std::tuple<std::vector<float>&, double&, std::span<double>>(w, b, memory); };
    ad::optim::sgd optimizer(model(), {.learning_rate = 0.5});
    // a gradient in other precisions is as good
    optimizer.step(model(), std::tuple(std::vector<double>{1, 2, 3}, 2.0f, ad::tensor<double, dyn>{2, 4}));
    CHECK(w == std::vector<float>{0.5f, 1, 1.5f});
    CHECK(b == 3);
    CHECK(memory == std::array<double, 2>{4, 4});
}

TEST_CASE(
    "steps: strided, transposed and reversed views change like dense arrays, and nothing between them is touched") {
    std::vector<float> memory(2000, -7), g_memory(2000, -7);
    ad::tensor<float, dyn, 11> dense(30), g(30);
    using strides = std::array<std::ptrdiff_t, 2>;
    ad::view<float, dyn, 11> const model(memory.data(), 30, strides{1, 60});
    ad::view<float, dyn, 11> const gradient(g_memory.data() + 29 * 33, 30, strides{-33, 3});
    ad::optim::adam a(dense, {.weight_decay = 0.1}), b(model, {.weight_decay = 0.1});
    recurrence::each(dense, [](float& x, std::size_t i) { x = static_cast<float>(recurrence::start(i)); });
    recurrence::each(model, [](float& x, std::size_t i) { x = static_cast<float>(recurrence::start(i)); });
    for (int t = 0; t < 3; ++t) {
        auto const fill = [t](float& x, std::size_t i) { x = static_cast<float>(recurrence::gradient(i, t)); };
        recurrence::each(g, fill);
        recurrence::each(gradient, fill);
        a.step(dense, g);
        b.step(model, gradient);
    }
    CHECK(std::equal(dense.begin(), dense.end(), model.begin()));
    CHECK(std::count(memory.begin(), memory.end(), -7.0f) == 2000 - 330);
    CHECK(a.state() == b.state());
}

TEMPLATE_TEST_CASE("steps: what is stored in 16 bits is computed and remembered in float", "", ad::half, ad::bfloat16) {
    for (std::size_t n : lengths) {
        std::vector<TestType> x(n), g(n);
        std::vector<float> wide(n), wide_g(n);
        ad::optim::adam a(x, {.learning_rate = 0.1}), b(wide, {.learning_rate = 0.1});
        for (int t = 0; t < 3; ++t) {
            for (std::size_t i = 0; i < n; ++i) wide_g[i] = g[i] = TestType(recurrence::gradient(i, t));
            a.step(x, g);
            b.step(wide, wide_g);
            for (float& w : wide) w = TestType(w);
        }
        CHECK(std::equal(x.begin(), x.end(), wide.begin(), [](float p, float q) { return p == q; }));
        CHECK(a.state() == b.state());
    }
}

TEST_CASE("steps: an infinite parameter without a gradient stays as it is") {
    std::vector<double> x{-std::numeric_limits<double>::infinity(), 1};
    std::vector<double> const g{0, 1};
    ad::optim::adam a(x);
    ad::optim::sgd s(x, {.momentum = 0.9});
    for (int t = 0; t < 3; ++t) {
        a.step(x, g);
        s.step(x, g);
    }
    CHECK(x[0] == -std::numeric_limits<double>::infinity());
    CHECK(x[1] < 1);
}

TEST_CASE("steps: the learning rate may change from step to step") {
    double x = 0;
    ad::optim::sgd s(x, {.learning_rate = 1});
    s.step(x, 1.0);
    s.options.learning_rate = 0.25;
    s.step(x, 1.0);
    CHECK(x == -1.25);
}
