// SPDX-License-Identifier: MIT
// Optimisers together with value_and_grad; clipping and schedules.

#include <cmath>
#include <tuple>
#include <vector>

#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <template <class, auto...> class Tensor>
struct line {
    Tensor<double, dyn> slope;
    Tensor<double> offset;
};
/// Least squares: the minimum is known, and is 0.
constexpr auto loss = [](auto const& m, auto x, auto y) { return mean(square(matmul(x, m.slope) + m.offset - y)); };

}  // namespace

TEST_CASE("training: every optimiser finds the minimum of a least-squares problem") {
    ad::tensor<double, dyn, dyn> x(12, 3);
    ad::tensor<double, dyn> y(12);
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 3; ++j) x(i, j) = std::sin(1.3 * i * (j + 1) + j);
        y(i) = 2 * x(i, 0) - x(i, 1) + 0.5 * x(i, 2) + 3;
    }
    auto value_and_grad = ad::value_and_grad<0>(loss);
    auto const distance = [&](auto optimise) {
        line<ad::tensor> m{ad::tensor<double, dyn>(3), 0.0}, g = m;
        optimise(m, [&]() -> auto const& { return value_and_grad(ad::into(g), m, x, y), g; });
        return std::abs(m.slope(0) - 2) + std::abs(m.slope(1) + 1) + std::abs(m.slope(2) - 0.5) +
               std::abs(m.offset() - 3);
    };
    auto const train = [&](auto make, int steps) {
        return distance([&](auto& m, auto gradient) {
            auto optimizer = make(m);
            double const rate = optimizer.options.learning_rate;
            for (int i = 0; i < steps; ++i) {
                optimizer.options.learning_rate = ad::optim::cosine_decay(i, steps, rate);
                optimizer.step(m, gradient());
            }
        });
    };
    using namespace ad::optim;
    CHECK(train([](auto& m) { return sgd(m, {.learning_rate = 0.3}); }, 300) < 1e-6);
    CHECK(train([](auto& m) { return sgd(m, {.learning_rate = 0.1, .momentum = 0.8, .nesterov = true}); }, 300) < 1e-6);
    CHECK(train([](auto& m) { return adam(m, {.learning_rate = 0.2}); }, 400) < 1e-4);
    CHECK(train([](auto& m) { return adam(m, {.learning_rate = 0.2, .amsgrad = true}); }, 400) < 1e-4);
    CHECK(train([](auto& m) { return adamw(m, {.learning_rate = 0.2, .weight_decay = 0}); }, 400) < 1e-4);
    lbfgs_report report;
    CHECK(distance([&](auto& m, auto) { report = lbfgs(m).minimize(m, value_and_grad, x, y); }) < 1e-6);
    CHECK(report.converged());
    CHECK(report.evaluations < 30);
}

TEST_CASE("clip: the norm goes over all arrays of a tree, in double") {
    std::tuple const g(std::vector<float>{3, 0}, -4.0, ad::tensor<double, dyn>{});
    CHECK(ad::optim::global_norm(g) == 5);
    std::vector<float> const large(1003, 1e30f);
    CHECK(std::abs(ad::optim::global_norm(large) / (1e30 * std::sqrt(1003.0)) - 1) < 1e-6);
    CHECK(ad::optim::global_norm(std::vector<ad::bfloat16>(19, ad::bfloat16(2))) == std::sqrt(76.0));
}

TEST_CASE("clip: a longer gradient is shortened, its direction kept; a shorter one stays as it is") {
    std::tuple g(std::vector<float>{3, 0, 0, 0, 0}, -4.0);
    CHECK(ad::optim::clip_grad_norm(g, 6) == 5);
    CHECK(std::get<0>(g)[0] == 3);
    CHECK(ad::optim::clip_grad_norm(g, 1) == 5);
    CHECK(std::abs(std::get<0>(g)[0] - 0.6f) < 1e-6f);
    CHECK(std::abs(std::get<1>(g) + 4 / (5 + 1e-6)) < 1e-15);
    std::vector<double> memory{3, -7, 4, -7};
    ad::view<double, dyn> const v(memory.data(), 2, std::array<std::ptrdiff_t, 1>{2});
    CHECK(ad::optim::clip_grad_norm(v, 10) == 5);
    CHECK(ad::optim::clip_grad_norm(v, 5e-6) == 5);
    CHECK(std::abs(memory[2] - 4e-6 / 1.0000002) < 1e-12);
    CHECK(memory[1] == -7);
}

TEST_CASE("schedules: a cosine from the first rate to the last, and a line to 1") {
    using ad::optim::cosine_decay;
    CHECK(cosine_decay(0, 100, 0.5) == 0.5);
    CHECK(std::abs(cosine_decay(50, 100, 0.5, 0.1) - 0.3) < 1e-15);
    CHECK(std::abs(cosine_decay(25, 100, 1) - (1 + std::sqrt(0.5)) / 2) < 1e-15);
    CHECK(cosine_decay(100, 100, 0.5, 0.1) == 0.1);
    CHECK(cosine_decay(1000, 100, 0.5, 0.1) == 0.1);
    CHECK(cosine_decay(0, 0, 0.5, 0.1) == 0.1);
    CHECK(ad::optim::linear_warmup(0, 4) == 0.25);
    CHECK(ad::optim::linear_warmup(3, 4) == 1);
    CHECK(ad::optim::linear_warmup(9, 4) == 1);
    CHECK(ad::optim::linear_warmup(0, 0) == 1);
}
