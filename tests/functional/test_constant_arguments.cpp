// SPDX-License-Identifier: MIT
// Layers, losses, densities, foreign code and transformations with tensors of the function among their arguments: as
// with arguments in their place.

#include <tapeless/tapeless.hpp>

#include <cmath>

#include "support/catch.hpp"

namespace ad = tapeless;
using namespace ad::density;
using namespace ad::loss;

namespace {

/// The value and gradient of f(x, constant...) by x, where the constants are arguments, and where `inside` has them.
template <class Inside, class F, class X, class... C>
void check_inside(Inside inside, F f, X const& x, C const&... constants) {
    auto const a = ad::value_and_grad<0>(inside)(x);
    auto const b = ad::value_and_grad<0>(f)(x, constants...);
    auto const near = [](double p, double q) { return std::abs(p - q) <= 1e-12 * (1 + std::abs(q)); };
    CHECK(near(a.value, b.value));
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(near(a.grad.data()[i], b.grad.data()[i]));
}

using vector = ad::tensor<double, 3>;
using matrix = ad::tensor<double, 3, 3>;
using labels = ad::tensor<int, 3>;
using mask = ad::tensor<bool, 3>;
constexpr vector w{1.5, 0.5, 2}, t{0.1, 0.9, 0.4};
constexpr matrix m{{4, 1, 0}, {1, 3, 0.5}, {0, 0.5, 5}};
constexpr labels k{1, 2, 0}, signs{1, -1, 1};
constexpr mask b{true, false, true};
vector const x{0.5, 0.25, 0.75};
matrix const a{{3, 0.25, 1}, {0.25, 2, 0.5}, {1, 0.5, 4}};

constexpr auto product = ad::external(
    [](auto out, auto p, auto q) {
        for (int i = 0; i < 3; ++i) out(i) = p(i) * q(i);
    },
    [](auto g, auto, auto p, auto q) { return ad::cotangents(g * q, g * p); });
constexpr auto each = [](auto p, auto q) { return p * q + sin(p); };

}  // namespace

TEST_CASE("constants: densities") {
    check_inside([](auto v) { return normal_lpdf(v, w, t) + student_t_lpdf(v, 3, w, 1.0) + gamma_lpdf(w, v, 2.0); },
                 [](auto v, auto c, auto s) {
                     return normal_lpdf(v, c, s) + student_t_lpdf(v, 3, c, 1.0) + gamma_lpdf(c, v, 2.0);
                 },
                 x, w, t);
    check_inside(
        [](auto v) { return poisson_lpmf(k, v) + bernoulli_lpmf(b, v) + categorical_logit_lpmf(k, outer(v, v)); },
        [](auto v, auto i, auto q) {
            return poisson_lpmf(i, v) + bernoulli_lpmf(q, v) + categorical_logit_lpmf(i, outer(v, v));
        },
        x, k, b);
    check_inside(
        [](auto v) {
            return multivariate_normal_lpdf(v, w, m) + dirichlet_lpdf(v, labels{1, 2, 1});
        },
        [](auto v, auto c, auto s, auto d) { return multivariate_normal_lpdf(v, c, s) + dirichlet_lpdf(v, d); }, x, w,
        m, vector{1, 2, 1});
}

TEST_CASE("constants: targets, weights and variances of losses") {
    check_inside(
        [](auto v) { return mse(v, w) + huber(v, t) + smooth_l1(v, w) + kl_div(v, t) + gaussian_nll(v, w, t); },
        [](auto v, auto c, auto q) {
            return mse(v, c) + huber(v, q) + smooth_l1(v, c) + kl_div(v, q) + gaussian_nll(v, c, q);
        },
        x, w, t);
    check_inside([](auto v) { return bce(v, t, w) + bce_with_logits(v, b, w) + hinge(v, signs) + focal(v, t); },
                 [](auto v, auto c, auto q, auto p, auto h) {
                     return bce(v, q, c) + bce_with_logits(v, p, c) + hinge(v, h) + focal(v, q);
                 },
                 x, w, t, b, signs);
    check_inside(
        [](auto v) {
            return cross_entropy(v, k) + cross_entropy(v, k, w, {.label_smoothing = 0.1}) + nll(v, k, w) +
                   multi_margin(v, k) + cross_entropy(v, m);
        },
        [](auto v, auto i, auto c, auto q) {
            return cross_entropy(v, i) + cross_entropy(v, i, c, {.label_smoothing = 0.1}) + nll(v, i, c) +
                   multi_margin(v, i) + cross_entropy(v, q);
        },
        a, k, w, m);
}

TEST_CASE("constants: layers") {
    check_inside(
        [](auto v) {
            return sum(square(layer_norm(v, w, t, 1e-5)) + rms_norm(v, w) + attention(v, m, v)) +
                   sum(cosine_similarity(v, m));
        },
        [](auto v, auto c, auto q, auto keys) {
            return sum(square(layer_norm(v, c, q, 1e-5)) + rms_norm(v, c) + attention(v, keys, v)) +
                   sum(cosine_similarity(v, keys));
        },
        a, w, t, m);
}

TEST_CASE("constants: foreign code, and transformations inside a function") {
    check_inside([](auto v) { return sum(square(product(v, w))); }, [](auto v, auto c) { return sum(square(v * c)); },
                 x, w);
    check_inside([](auto v) { return sum(square(ad::vmap(each)(v, w))); },
                 [](auto v, auto c) { return sum(square(v * c + sin(v))); }, x, w);
    check_inside(
        [](auto v) {
            auto const cube = [](auto p) { return p * p * p; };
            auto const whole = [](auto p) { return sum(p * p * p); };
            return sum(ad::jvp(cube)(v, w).tangent) + sum(ad::vjp(cube)(v, vector{1, 2, 3}).grad) +
                   sum(ad::hvp(whole)(v, w));
        },
        [](auto v, auto c) {
            return sum(3.0 * v * v * (c + vector{1, 2, 3}) + 6.0 * v * c);
        },
        x, w);
}
