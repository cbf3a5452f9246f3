// SPDX-License-Identifier: MIT
// Composite programs of the reference with gelu, label smoothing and layer_norm.

#include "programs/run_loss.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a perceptron with gelu, smoothed labels and a penalty on the weights", "", double, float) {
    run_loss<TestType, data<matrix>, matrix, vector, matrix, vector, integers<vector>>(
        [](auto x, auto w1, auto b1, auto w2, auto b2, auto t) {
            auto const scores = matmul(gelu(matmul(x, w1) + b1), w2) + b2;
            return ad::loss::cross_entropy(scores, t, {.label_smoothing = 0.1}) + 0.01 * (sum(abs(w1)) + sum(abs(w2)));
        },
        "mlp_gelu_smooth", [](test_case& c) { REQUIRE(c.number("label_smoothing") == 0.1); });
}

TEMPLATE_TEST_CASE("programs: a normalised layer beside a path past it", "", double, float) {
    run_loss<TestType, matrix, vector, vector, matrix, vector, matrix, vector>(
        [](auto x, auto g, auto be, auto w1, auto b1, auto w2, auto b2) {
            return mean(square(x + linear(gelu(linear(layer_norm(x, g, be), w1, b1)), w2, b2)));
        },
        "residual_layer_norm");
}
