// SPDX-License-Identifier: MIT
// Composite programs of the reference: regressions, from logistic to factorised.

#include "programs/programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: logistic regression with a penalty", "", double, float) {
    run_loss<TestType, data<matrix>, data<vector>, vector, scalar, data<scalar>>(
        [](auto x, auto y, auto w, auto b, auto l2) {
            return ad::loss::bce_with_logits(matmul(x, w) + b, y) + 0.5 * l2 * sum(square(w));
        },
        "logistic_regression", [](test_case& c) { add_parameter(c, "l2"); });
}

TEMPLATE_TEST_CASE("programs: softmax regression", "", double, float) { softmax_regression<TestType>("programs"); }

TEMPLATE_TEST_CASE("programs: a regression on normalised columns", "", double, float) {
    normalised_regression<TestType>("programs");
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
    heteroscedastic<TestType>("programs");
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

TEMPLATE_TEST_CASE("programs: kernel regression", "", double, float) { kernel_regression<TestType>("programs"); }

TEMPLATE_TEST_CASE("programs: a classifier with focal loss", "", double, float) {
    run_loss<TestType, data<matrix>, vector, scalar, data<vector>, data<scalar>>(
        [](auto x, auto w, auto b, auto y, auto alpha) { return ad::loss::focal(sigmoid(matmul(x, w) + b), y, alpha); },
        "focal_classifier", [](test_case& c) {
            REQUIRE(c.number("gamma") == 2);
            add_parameter(c, "alpha");
        });
}
