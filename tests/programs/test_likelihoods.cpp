// SPDX-License-Identifier: MIT
// Composite programs of the reference: logarithms of sums of exponentials, in mixtures, scores and contrasts.

#include "programs/run_loss.hpp"

using namespace reference;

namespace {
using row_stack = shape_pattern<run, 1, run>;
}

TEST_CASE("programs: a mixture of Gaussians") {
    run_loss<double, data<row_stack>, matrix, matrix, vector>(
        [](auto x, auto mu, auto log_sigma, auto logits) {
            auto z = (x - mu) / exp(log_sigma);
            auto each = log_softmax_of_rows(logits) + sum<-1>(-0.5 * square(z) - log_sigma - 0.91893853320467274178);
            return -mean(logsumexp_of_rows(ad::let(each)));
        },
        "gaussian_mixture", [](test_case& c) {
            auto& s = input(c, "x").shape;
            s.insert(s.begin() + 1, 1);
        });
}

TEST_CASE("programs: logsumexp of logsumexp of a product") {
    run_loss<double, matrix, matrix, scalar>(
        [](auto x, auto w, auto t) {
            auto u = logsumexp_of_rows(ad::let(matmul(x, w) * exp(t)));
            auto top = stop_gradient(maximum(u, 2.0 * u));
            auto v = ad::let(log(exp(u - top) + exp(2.0 * u - top)) + top);
            return logsumexp_of_rows(v) * exp(-t);
        },
        "logsumexp_chain");
}

TEST_CASE("programs: production with constant elasticity of substitution") {
    run_loss<double, matrix, vector, scalar>(
        [](auto x, auto share, auto rho) {
            auto y = sum<1>(softmax_of_rows(share) * exp(rho * log(x)));
            return mean(log(y) / rho);
        },
        "ces_production");
}

TEST_CASE("programs: bilinear scores") {
    run_loss<double, matrix, cube, matrix, data<vector>>(
        [](auto x, auto w, auto y, auto first) {
            auto s = sum<-1>(matmul(x, w) * y);  // (r, n)
            return -mean(sum<-1>(log_softmax_of_rows(ad::let(transpose(s))) * first));
        },
        "bilinear_scores", [](test_case& c) {
            std::vector<double> first(c.in("W").extent(0));
            first[0] = 1;
            add_input(c, "first", {c.in("W").shape[0]}, first);
        });
}

TEST_CASE("programs: contrasts of normalised rows, in both directions") {
    run_loss<double, matrix, matrix, scalar, data<matrix>>(
        [](auto a, auto b, auto log_t, auto same) {
            auto unit = [](auto x) { return x / sqrt(sum<1>(square(x), ad::keepdims)); };
            auto s = ad::let(matmul(unit(a), transpose(unit(b))) * exp(log_t));
            return 0.5 * (cross_entropy(s, same) + cross_entropy(ad::let(transpose(s)), same));
        },
        "info_nce", [](test_case& c) {
            auto const n = c.in("A").extent(0);
            std::vector<double> same(n * n);
            for (std::size_t i = 0; i < n; ++i) same[i * n + i] = 1;
            add_input(c, "same", {c.in("A").shape[0], c.in("A").shape[0]}, same);
        });
}

TEST_CASE("programs: distillation") {
    run_loss<double, matrix, data<matrix>, data<matrix>, data<scalar>, data<scalar>>(
        [](auto s, auto t, auto target, auto tau, auto mix) {
            auto teacher = softmax_of_rows(t / tau);
            auto kl = mean(sum<1>(teacher * (log(teacher) - log_softmax_of_rows(s / tau))));
            return mix * tau * tau * kl + (1.0 - mix) * cross_entropy(s, target);
        },
        "distillation", [](test_case& c) {
            make_one_hot(c, "target", c.in("S").extent(1));
            add_parameter(c, "tau");
            add_parameter(c, "mix");
        });
}
