// SPDX-License-Identifier: MIT
// Composite programs of the reference: logarithms of sums of exponentials, in mixtures, scores and contrasts.

#include "programs/programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a mixture of Gaussians", "", double, float) { gaussian_mixture<TestType>("programs"); }

TEMPLATE_TEST_CASE("programs: logsumexp of logsumexp of a product", "", double, float) {
    logsumexp_chain<TestType>("programs");
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
    info_nce<TestType>("programs");
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
