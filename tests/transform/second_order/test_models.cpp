// SPDX-License-Identifier: MIT
// Hessians of the reference, whole and times a vector: regressions, layers and networks.

#include "transform/second_order/second_order_cases.hpp"

using namespace reference;

TEST_CASE("hvp: functions of a product with a matrix") {
    run_second_order<vector, data<matrix>>([](auto x, auto a) { return logsumexp(matmul(a, x)); }, "f_lse_linear");
    run_second_order<vector, matrix>([](auto x, auto w) { return sum(square(tanh(matmul(w, x)))); }, "f_tanh_quad");
    run_second_order<vector, data<matrix>>([](auto x, auto w) { return sum(square(relu(matmul(w, x)))); },
                                           "f_relu_quad");
}

TEST_CASE("hvp: classifiers") {
    run_second_order<vector, data<matrix>, data<vector>>(
        [](auto w, auto x, auto y) { return mean(softplus(-y * matmul(x, w))); }, "f_logistic");
    run_second_order<matrix, vector, data<matrix>, integers<vector>>(
        [](auto w, auto b, auto x, auto target) { return ad::loss::cross_entropy(matmul(x, w) + b, target); },
        "f_softmax_ce");
}

TEST_CASE("hvp: a hidden layer with gelu") {
    run_second_order<matrix, vector, vector, data<matrix>>(
        [](auto w1, auto b1, auto w2, auto x) { return mean(square(matmul(gelu(matmul(x, transpose(w1)) + b1), w2))); },
        "f_gelu_mlp");
}

TEST_CASE("hvp: layer_norm and attention") {
    run_second_order<matrix, vector>([](auto x, auto g) { return sum(sin(layer_norm(x, g, 1e-2))); }, "f_layer_norm");
    run_second_order<matrix, matrix, matrix>([](auto q, auto k, auto v) { return sum(square(attention(q, k, v))); },
                                             "f_attention");
}

TEST_CASE("hvp: a convolution") {
    run_second_order<shape_pattern<run, run, 3, 3>, data<shape_pattern<run, run, run, run>>>(
        [](auto w, auto x) { return sum(square(sigmoid(ad::conv2d<ad::conv{.padding = 1}>(x, w)))); }, "f_conv");
}

TEST_CASE("hvp: a recurrent network over four steps") {
    run_second_order<matrix, matrix, data<matrix>>(
        [](auto w, auto u, auto x) {
            auto h = ad::let(tanh(matmul(u, ad::select<0>(x, 0))));
            for (int t = 1; t < 4; ++t) h = ad::let(tanh(matmul(w, h) + matmul(u, ad::select<0>(x, t))));
            return sum(square(h));
        },
        "f_rnn");
}

TEST_CASE("hvp: the same network as a fold, whatever the number of steps") {
    run_second_order<matrix, matrix, data<matrix>>(
        [](auto w, auto u, auto x) {
            auto step = [&](auto h, auto item) { return tanh(matmul(w, h) + matmul(u, item)); };
            return sum(square(ad::fold(step, sum<1>(0.0 * w), x)));
        },
        "f_rnn");
}

TEST_CASE("hvp: of a loop, it adds up nothing that is not asked for") {
    // a step back has three products for the state and its tangent, and two for the Hessian's row; the gradient is
    // not made
    constexpr auto loss = [](auto w, auto h0, auto xs) {
        return sum(square(ad::fold([&](auto h, auto x) { return tanh(matmul(h, w) + x); }, h0, xs)));
    };
    ad::tensor<float, 7, 7> w;
    ad::tensor<float, 3, 7> h;
    ad::tensor<float, 5, 3, 7> xs;
    auto product = ad::hvp<0>(loss);
    std::string const plan = ad::explain(product, w, h, xs, w);
    std::size_t const back = plan.find("backwards");
    REQUIRE(back != std::string::npos);
    std::size_t products = 0;
    for (std::size_t at = plan.find("product  (", back); at != std::string::npos; at = plan.find("product  (", at + 1))
        ++products;
    CHECK(products == 5);
}
