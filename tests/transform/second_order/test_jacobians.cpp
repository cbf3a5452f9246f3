// SPDX-License-Identifier: MIT
// Jacobians of the reference, and losses that contain a gradient.

#include "transform/second_order/second_order_cases.hpp"

using namespace reference;

namespace {

/// The sum over all rows of a network of one hidden layer.
constexpr auto scores = [](auto x, auto w1, auto b1, auto w2) {
    return sum(matmul(tanh(matmul(x, transpose(w1)) + b1), w2));
};
constexpr auto squared_error = [](auto w, auto x, auto y) { return mean(square(matmul(x, w) - y)); };

}  // namespace

TEST_CASE("jacobian: of functions of one array") {
    run_pulled_back<double, vector, vector>(
        [](auto x) {
            auto r = ad::slice<0, 0, 1>(x);
            auto theta = ad::slice<0, 1, 2>(x);
            auto phi = ad::slice<0, 2, 3>(x);
            auto across = ad::let(r * sin(theta));
            return ad::concat<0>(across * cos(phi), across * sin(phi), r * cos(theta));
        },
        "g_spherical");
    run_pulled_back<double, vector, vector>([](auto x) { return softmax(x); }, "g_softmax");
    run_pulled_back<double, vector, matrix>(
        [](auto x) { return ad::concat<0>(mean<0>(x), logsumexp<1>(x), ad::reshape<1>(norm(x))); }, "g_reduce");
    run_pulled_back<double, vector, matrix>(
        [](auto x) { return ad::reshape<ad::dyn>(ad::slice<1, 0, ad::to_end, 2>(cumsum<0>(ad::flip<1>(x)))); },
        "g_index");
}

TEST_CASE("jacobian: by several arguments at once") {
    run_pulled_back<double, vector, matrix, vector>([](auto a, auto x) { return tanh(matmul(a, x)); }, "g_matvec");
    run_pulled_back<double, matrix, column, vector>([](auto x, auto y) { return x * y + exp(x - y); }, "g_broadcast");
    run_pulled_back<double, vector, vector, matrix, vector, matrix>(
        [](auto x, auto w1, auto b1, auto w2) { return matmul(w2, silu(matmul(w1, x) + b1)); }, "g_mlp");
    run_pulled_back<double, vector, vector, vector>(
        [](auto x, auto y) { return pow(x, y) * log(x + y) / (1.0 + square(y)); }, "g_pow_log");
}

TEMPLATE_TEST_CASE("nested grad: a penalty on a gradient is differentiated by the data and the weights", "", double,
                   float) {
    run_pulled_back<TestType, scalar, matrix, matrix, vector, vector>(
        [](auto x, auto w1, auto b1, auto w2) {
            return mean(square(norm<1>(ad::grad<0>(scores)(x, w1, b1, w2)) - 1.0));
        },
        "gradient_penalty");
}

TEMPLATE_TEST_CASE("nested grad: through a step of gradient descent, by the weights and the rate", "", double, float) {
    run_pulled_back<TestType, scalar, vector, scalar, data<matrix>, data<vector>, data<matrix>, data<vector>>(
        [](auto w, auto rate, auto x, auto y, auto xv, auto yv) {
            return squared_error(w - rate * ad::grad<0>(squared_error)(w, x, y), xv, yv);
        },
        "inner_step");
}
