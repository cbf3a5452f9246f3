// SPDX-License-Identifier: MIT
// Composite programs of the reference: regressions, from logistic to factorised.

#include "programs/run_loss.hpp"

using namespace reference;

namespace {
using row_stack = shape_pattern<run, 1, run>;
}

TEMPLATE_TEST_CASE("programs: logistic regression with a penalty", "", double, float) {
    run_loss<TestType, data<matrix>, data<vector>, vector, scalar, data<scalar>>(
        [](auto x, auto y, auto w, auto b, auto l2) {
            return ad::loss::bce_with_logits(matmul(x, w) + b, y) + 0.5 * l2 * sum(square(w));
        },
        "logistic_regression", [](test_case& c) { add_parameter(c, "l2"); });
}

TEMPLATE_TEST_CASE("programs: softmax regression", "", double, float) {
    run_loss<TestType, matrix, matrix, vector, integers<vector>>(
        [](auto x, auto w, auto b, auto t) { return ad::loss::cross_entropy(matmul(x, w) + b, t); }, "softmax_regression");
}

TEMPLATE_TEST_CASE("programs: a regression on normalised columns", "", double, float) {
    run_loss<TestType, matrix, vector, scalar, data<vector>, data<scalar>>(
        [](auto x, auto w, auto b, auto y, auto bessel) {
            auto centred = ad::let(x - mean<0>(x, ad::keepdims));
            auto z = centred / (sqrt(bessel * mean<0>(square(centred), ad::keepdims)) + 1e-3);
            auto r = ad::let(matmul(z, w) + b - y);
            return mean(square(r)) / (1.0 + mean(square(r - mean(r))));
        },
        "normalised_regression", [](test_case& c) {
            auto const n = static_cast<double>(c.in("Y").size());
            add_number(c, "bessel", n / (n - 1));
        });
}

TEMPLATE_TEST_CASE("programs: a clamped regression with Huber's loss", "", double, float) {
    run_loss<TestType, data<matrix>, vector, scalar, data<vector>, data<scalar>, data<scalar>, data<scalar>>(
        [](auto x, auto w, auto b, auto y, auto delta, auto lo, auto hi) {
            return ad::loss::huber(clamp(matmul(x, w) + b, lo, hi), y, delta);
        },
        "huber_clamped", [](test_case& c) {
            for (char const* name : {"delta", "lo", "hi"}) add_parameter(c, name);
        });
}

TEMPLATE_TEST_CASE("programs: mean and variance both predicted", "", double, float) {
    run_loss<TestType, data<matrix>, matrix, matrix, data<matrix>>(
        [](auto x, auto wm, auto ws, auto y) {
            return ad::loss::gaussian_nll(matmul(x, wm), y, softplus(matmul(x, ws)) + 0.05, {.full = true});
        },
        "heteroscedastic");
}

TEMPLATE_TEST_CASE("programs: a factorised matrix with missing entries", "", double, float) {
    run_loss<TestType, matrix, matrix, column, vector, data<matrix>, data<matrix>, data<scalar>>(
        [](auto u, auto v, auto bu, auto bv, auto r, auto mask, auto l2) {
            auto e = where(mask > 0.5, matmul(u, transpose(v)) + bu + bv - r, 0.0);
            return sum(square(e)) / sum(mask) + l2 * (sum(square(u)) + sum(square(v)));
        },
        "matrix_factorization", [](test_case& c) {
            input(c, "bu").shape.push_back(1);
            add_parameter(c, "l2");
        });
}

TEMPLATE_TEST_CASE("programs: kernel regression", "", double, float) {
    run_loss<TestType, row_stack, matrix, vector, scalar, data<vector>>(
        [](auto xq, auto xs, auto ys, auto log_h, auto yq) {
            auto d = sum<-1>(square(xq - xs));
            return mean(square(matmul(softmax(-0.5 * d * exp(-2.0 * log_h)), ys) - yq));
        },
        "kernel_regression", [](test_case& c) {
            auto& s = input(c, "xq").shape;
            s.insert(s.begin() + 1, 1);
        });
}

TEMPLATE_TEST_CASE("programs: a classifier with focal loss", "", double, float) {
    run_loss<TestType, data<matrix>, vector, scalar, data<vector>, data<scalar>>(
        [](auto x, auto w, auto b, auto y, auto alpha) { return ad::loss::focal(sigmoid(matmul(x, w) + b), y, alpha); },
        "focal_classifier", [](test_case& c) {
            REQUIRE(c.number("gamma") == 2);
            add_parameter(c, "alpha");
        });
}
