// SPDX-License-Identifier: MIT
// Composite programs of the reference: logarithms of sums of exponentials, in mixtures, scores and contrasts.

#include "programs/run_loss.hpp"

using namespace reference;

namespace {
using row_stack = shape_pattern<run, 1, run>;
}

TEMPLATE_TEST_CASE("programs: a mixture of Gaussians", "", double, float) {
    run_loss<TestType, data<row_stack>, matrix, matrix, vector>(
        [](auto x, auto mu, auto log_sigma, auto logits) {
            auto z = (x - mu) / exp(log_sigma);
            auto each = log_softmax(logits) + sum<-1>(-0.5 * square(z) - log_sigma - 0.91893853320467274178);
            return -mean(logsumexp<-1>(each));
        },
        "gaussian_mixture", [](test_case& c) {
            auto& s = input(c, "x").shape;
            s.insert(s.begin() + 1, 1);
        });
}

TEMPLATE_TEST_CASE("programs: logsumexp of logsumexp of a product", "", double, float) {
    run_loss<TestType, matrix, matrix, scalar>(
        [](auto x, auto w, auto t) {
            auto u = ad::let(logsumexp<1>(matmul(x, w) * exp(t)));
            return logsumexp(logsumexp<0>(ad::stack<0>(u, 2.0 * u))) * exp(-t);
        },
        "logsumexp_chain");
}

TEMPLATE_TEST_CASE("programs: production with constant elasticity of substitution", "", double, float) {
    run_loss<TestType, matrix, vector, scalar>(
        [](auto x, auto share, auto rho) {
            auto y = sum<1>(softmax(share) * exp(rho * log(x)));
            return mean(log(y) / rho);
        },
        "ces_production");
}

TEMPLATE_TEST_CASE("programs: bilinear scores", "", double, float) {
    run_loss<TestType, matrix, cube, matrix, data<vector>>(
        [](auto x, auto w, auto y, auto first) {
            auto s = sum<-1>(matmul(x, w) * y);  // (r, n)
            return -mean(sum<-1>(log_softmax(transpose(s)) * first));
        },
        "bilinear_scores", [](test_case& c) {
            std::vector<double> first(c.in("W").extent(0));
            first[0] = 1;
            add_input(c, "first", {c.in("W").shape[0]}, first);
        });
}

TEMPLATE_TEST_CASE("programs: contrasts of normalised rows, in both directions", "", double, float) {
    run_loss<TestType, matrix, matrix, scalar, integers<vector>>(
        [](auto a, auto b, auto log_t, auto same) {
            auto unit = [](auto x) { return x / norm<1>(x, ad::keepdims); };
            auto s = ad::let(matmul(unit(a), transpose(unit(b))) * exp(log_t));
            return 0.5 * (ad::loss::cross_entropy(s, same) + ad::loss::cross_entropy(transpose(s), same));
        },
        "info_nce", [](test_case& c) {
            std::vector<double> same(c.in("A").extent(0));
            for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<double>(i);
            add_input(c, "same", {c.in("A").shape[0]}, same);
        });
}

TEMPLATE_TEST_CASE("programs: distillation", "", double, float) {
    run_loss<TestType, matrix, data<matrix>, integers<vector>, data<scalar>, data<scalar>>(
        [](auto s, auto t, auto target, auto tau, auto mix) {
            auto kl = ad::loss::kl_div<ad::loss::reduction::batchmean>(log_softmax(s / tau), softmax(t / tau));
            return mix * tau * tau * kl + (1.0 - mix) * ad::loss::cross_entropy(s, target);
        },
        "distillation", [](test_case& c) {
            add_parameter(c, "tau");
            add_parameter(c, "mix");
        });
}
