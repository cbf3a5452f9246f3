// SPDX-License-Identifier: MIT
// Composite programs of the reference with gelu, label smoothing and layer_norm.

#include "programs/run_loss.hpp"

using namespace reference;

TEST_CASE("programs: a perceptron with gelu, smoothed labels and a penalty on the weights") {
    run_loss<double, data<matrix>, matrix, vector, matrix, vector, data<matrix>>(
        [](auto x, auto w1, auto b1, auto w2, auto b2, auto t) {
            auto const z = log_softmax(matmul(gelu(matmul(x, w1) + b1), w2) + b2);
            return 0.01 * (sum(abs(w1)) + sum(abs(w2))) - mean(sum<-1>(z * t));
        },
        "mlp_gelu_smooth", [](test_case& c) {
            std::size_t const classes = c.in("b2").size();
            double const share = c.number("label_smoothing");
            make_one_hot(c, "target", classes);
            for (double& t : input(c, "target").values) t = (1 - share) * t + share / static_cast<double>(classes);
        });
}

TEST_CASE("programs: a normalised layer beside a path past it") {
    run_loss<double, matrix, vector, vector, matrix, vector, matrix, vector>(
        [](auto x, auto g, auto be, auto w1, auto b1, auto w2, auto b2) {
            return mean(square(x + linear(gelu(linear(layer_norm(x, g, be), w1, b1)), w2, b2)));
        },
        "residual_layer_norm");
}
