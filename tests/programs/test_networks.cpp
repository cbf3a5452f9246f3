// SPDX-License-Identifier: MIT
// Composite programs of the reference: feed-forward networks, with all their gradients.

#include "programs/run_loss.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a perceptron with relu and cross entropy", "", double, float) {
    run_loss<TestType, data<matrix>, matrix, vector, matrix, vector, data<matrix>>(
        [](auto x, auto w1, auto b1, auto w2, auto b2, auto t) {
            return cross_entropy(ad::let(matmul(relu(matmul(x, w1) + b1), w2) + b2), t);
        },
        "mlp_relu_ce", [](test_case& c) { make_one_hot(c, "target", c.in("b2").size()); });
}

TEST_CASE("programs: three layers with tanh and a squared error") {
    run_loss<double, data<matrix>, matrix, vector, matrix, vector, matrix, vector, data<matrix>>(
        [](auto x, auto w1, auto b1, auto w2, auto b2, auto w3, auto b3, auto y) {
            return mean(square(matmul(tanh(matmul(tanh(matmul(x, w1) + b1), w2) + b2), w3) + b3 - y));
        },
        "mlp_tanh_mse");
}

TEST_CASE("programs: a hidden layer normalised over the batch") {
    run_loss<double, matrix, matrix, vector, vector, matrix, data<matrix>>(
        [](auto x, auto w1, auto g, auto be, auto w2, auto y) {
            auto z = ad::let(matmul(x, w1));
            auto centred = ad::let(z - mean<0>(z, ad::keepdims));
            auto n = centred / sqrt(mean<0>(square(centred), ad::keepdims) + 1e-5);
            return mean(square(matmul(relu(n * g + be), w2) - y));
        },
        "batch_norm_mlp");
}

TEST_CASE("programs: a network with learned slopes and dropped units") {
    run_loss<double, data<matrix>, matrix, vector, data<matrix>, matrix, data<matrix>, data<scalar>>(
        [](auto x, auto w1, auto alpha, auto mask, auto w2, auto y, auto p) {
            auto z = ad::let(matmul(x, w1));
            auto d = ad::let(matmul(where(z > 0.0, z, alpha * z) * mask / (1.0 - p), w2) - y);
            return mean(where(abs(d) < 0.5, square(d), abs(d) - 0.25));
        },
        "prelu_dropout_net", [](test_case& c) { add_parameter(c, "p"); });
}
