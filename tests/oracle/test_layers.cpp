// SPDX-License-Identifier: MIT
// The library and the oracle agree on activations and losses, their derivatives included.

#include "oracle/numbers.hpp"

namespace {

constexpr auto activations = [](auto x, auto y) {
    return total(sigmoid(x), logsigmoid(x), softplus(x), softplus(x, 2.0), relu(x), relu6(4.0 * x), leaky_relu(x, 0.1),
                 elu(x), selu(x), gelu(x), gelu_tanh(x), silu(x), mish(x), hardswish(2.0 * x), hardsigmoid(2.0 * x),
                 softsign(x), elu(x, y * y));
};
namespace loss = ad::loss;
constexpr auto losses = [](auto x, auto t) {  // t between 0 and 1
    auto const p = sigmoid(x);
    return total(loss::mse(x, t), loss::l1(x, t), loss::smooth_l1(x, t, 0.4), loss::huber(x, t, 0.6), loss::bce(p, t),
                 loss::bce_with_logits(x, t), loss::poisson_nll(x, t), loss::gaussian_nll(x, t, p),
                 loss::kl_div(log(p), t));
};

}  // namespace

TEMPLATE_TEST_CASE("agree: activations", "", float, double) {
    CHECK(agree<0, 1>(activations, between<TestType>(-3, 3, 19), between<TestType>(-1.5, 1.5, 19, 1)) == "");
}
TEMPLATE_TEST_CASE("agree: losses", "", float, double) {
    CHECK(agree<0, 1>(losses, between<TestType>(-1.5, 1.5, 19), between<TestType>(0.1, 0.9, 19, 1)) == "");
}
