// SPDX-License-Identifier: MIT
// Composite programs of the reference: feed-forward networks, with all their gradients.

#include "programs/programs.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a perceptron with relu and cross entropy", "", double, float) {
    run_loss<TestType, data<matrix>, matrix, vector, matrix, vector, integers<vector>>(
        [](auto x, auto w1, auto b1, auto w2, auto b2, auto t) {
            return ad::loss::cross_entropy(matmul(relu(matmul(x, w1) + b1), w2) + b2, t);
        },
        "mlp_relu_ce");
}

TEMPLATE_TEST_CASE("programs: three layers with tanh and a squared error", "", double, float) {
    mlp_tanh_mse<TestType>("programs");
}

TEMPLATE_TEST_CASE("programs: a hidden layer normalised over the batch", "", double, float) {
    run_loss<TestType, matrix, matrix, vector, vector, matrix, data<matrix>>(
        [](auto x, auto w1, auto g, auto be, auto w2, auto y) {
            auto z = ad::let(matmul(x, w1));
            auto centred = ad::let(z - mean<0>(z, ad::keepdims));
            auto n = centred / sqrt(mean<0>(square(centred), ad::keepdims) + 1e-5);
            return ad::loss::mse(matmul(relu(n * g + be), w2), y);
        },
        "batch_norm_mlp");
}

TEMPLATE_TEST_CASE("programs: a network with learned slopes and dropped units", "", double, float) {
    run_loss<TestType, data<matrix>, matrix, vector, data<matrix>, matrix, data<matrix>, data<scalar>>(
        [](auto x, auto w1, auto alpha, auto mask, auto w2, auto y, auto p) {
            return ad::loss::smooth_l1(matmul(dropout(prelu(matmul(x, w1), alpha), mask, p), w2), y, 0.5);
        },
        "prelu_dropout_net", [](test_case& c) { add_parameter(c, "p"); });
}
