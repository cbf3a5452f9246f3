// SPDX-License-Identifier: MIT
// Composite programs of the reference: regressions, from logistic to factorised.

#include "programs/run_loss.hpp"

using namespace reference;

namespace {
using row_stack = shape_pattern<run, 1, run>;
}

TEST_CASE("programs: logistic regression with a penalty") {
    run_loss<double, data<matrix>, data<vector>, vector, scalar, data<scalar>>(
        [](auto x, auto y, auto w, auto b, auto l2) {
            auto z = ad::let(matmul(x, w) + b);
            return mean(bce_of_logits(z, y)) + 0.5 * l2 * sum(square(w));
        },
        "logistic_regression", [](test_case& c) { add_parameter(c, "l2"); });
}

TEST_CASE("programs: softmax regression") {
    run_loss<double, matrix, matrix, vector, data<matrix>>(
        [](auto x, auto w, auto b, auto t) { return cross_entropy(ad::let(matmul(x, w) + b), t); }, "softmax_regression",
        [](test_case& c) { make_one_hot(c, "target", c.in("b").size()); });
}

TEST_CASE("programs: a regression on normalised columns") {
    run_loss<double, matrix, vector, scalar, data<vector>, data<scalar>>(
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

TEST_CASE("programs: a clamped regression with Huber's loss") {
    run_loss<double, data<matrix>, vector, scalar, data<vector>, data<scalar>, data<scalar>, data<scalar>>(
        [](auto x, auto w, auto b, auto y, auto delta, auto lo, auto hi) {
            auto d = ad::let(minimum(maximum(matmul(x, w) + b, lo), hi) - y);
            return mean(where(abs(d) <= delta, 0.5 * square(d), delta * (abs(d) - 0.5 * delta)));
        },
        "huber_clamped", [](test_case& c) {
            for (char const* name : {"delta", "lo", "hi"}) add_parameter(c, name);
        });
}

TEST_CASE("programs: mean and variance both predicted") {
    run_loss<double, data<matrix>, matrix, matrix, data<matrix>>(
        [](auto x, auto wm, auto ws, auto y) {
            auto v = ad::let(softplus_of(ad::let(matmul(x, ws))) + 0.05);
            return mean(0.5 * (log(v) + square(matmul(x, wm) - y) / v)) + 0.91893853320467274178;
        },
        "heteroscedastic");
}

TEST_CASE("programs: a factorised matrix with missing entries") {
    run_loss<double, matrix, matrix, column, vector, data<matrix>, data<matrix>, data<scalar>>(
        [](auto u, auto v, auto bu, auto bv, auto r, auto mask, auto l2) {
            auto e = where(mask > 0.5, matmul(u, transpose(v)) + bu + bv - r, 0.0);
            return sum(square(e)) / sum(mask) + l2 * (sum(square(u)) + sum(square(v)));
        },
        "matrix_factorization", [](test_case& c) {
            input(c, "bu").shape.push_back(1);
            add_parameter(c, "l2");
        });
}

TEST_CASE("programs: kernel regression") {
    run_loss<double, row_stack, matrix, vector, scalar, data<vector>>(
        [](auto xq, auto xs, auto ys, auto log_h, auto yq) {
            auto d = sum<-1>(square(xq - xs));
            return mean(square(matmul(softmax_of_rows(ad::let(-0.5 * d * exp(-2.0 * log_h))), ys) - yq));
        },
        "kernel_regression", [](test_case& c) {
            auto& s = input(c, "xq").shape;
            s.insert(s.begin() + 1, 1);
        });
}

TEST_CASE("programs: a classifier with focal loss") {
    run_loss<double, data<matrix>, vector, scalar, data<vector>, data<scalar>>(
        [](auto x, auto w, auto b, auto y, auto alpha) {
            auto p = ad::let(sigmoid(matmul(x, w) + b));
            return mean(where(y > 0.5, -(alpha * square(1.0 - p) * log(p)), -(alpha * square(p) * log(1.0 - p))));
        },
        "focal_classifier", [](test_case& c) {
            REQUIRE(c.number("gamma") == 2);
            add_parameter(c, "alpha");
        });
}
