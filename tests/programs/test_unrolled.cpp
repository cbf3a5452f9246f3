// SPDX-License-Identifier: MIT
// Composite programs of the reference: weights used several times, in steps or in the parts of a loss.

#include "programs/run_loss.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a variational autoencoder", "", double, float) {
    run_loss<TestType, data<matrix>, data<matrix>, matrix, matrix, matrix, matrix, matrix>(
        [](auto x, auto noise, auto we, auto wm, auto ws, auto wd, auto wx) {
            auto h = ad::let(softplus(matmul(x, we)));
            auto mu = ad::let(matmul(h, wm)), lv = ad::let(matmul(h, ws));
            auto s = mu + exp(0.5 * lv) * noise;
            auto losses = ad::loss::bce_with_logits<ad::loss::reduction::none>(matmul(tanh(matmul(s, wd)), wx), x);
            return mean(sum<1>(losses)) + 0.5 * mean(sum<1>(exp(lv) + square(mu) - 1.0 - lv));
        },
        "vae_elbo");
}

TEMPLATE_TEST_CASE("programs: an encoder compared with itself three times", "", double, float) {
    run_loss<TestType, data<matrix>, data<matrix>, data<matrix>, matrix, vector>(
        [](auto a, auto p, auto n, auto w, auto b) {
            auto f = [&](auto x) { return tanh(matmul(x, w) + b); };
            return ad::loss::triplet_margin(f(a), f(p), f(n), {.margin = 0.4, .eps = 0});
        },
        "triplet_encoder", [](test_case& c) { REQUIRE(c.number("margin") == 0.4); });
}

TEMPLATE_TEST_CASE("programs: a recurrent network over five steps, its weights used in each", "", double, float) {
    run_loss<TestType, steps<5>, matrix, matrix, matrix, vector, matrix, steps<5>>(
        [](auto x, auto h0, auto wx, auto wh, auto b, auto wo, auto y) {
            auto h = ad::let(1.0 * h0);
            auto loss = ad::let(0.0 * sum(h));
            for (std::size_t t = 0; t < 5; ++t) {
                h = ad::let(tanh(matmul(x[t], wx) + matmul(h, wh) + b));
                loss = ad::let(loss + ad::loss::mse(matmul(h, wo), y[t]));
            }
            return loss / 5.0;
        },
        "rnn_unrolled");
}

TEMPLATE_TEST_CASE("programs: an ordinary differential equation in six steps of Euler", "", double, float) {
    run_loss<TestType, matrix, matrix, vector, data<matrix>, data<scalar>>(
        [](auto y0, auto w, auto b, auto yt, auto dt) {
            auto y = ad::let(1.0 * y0);
            for (int i = 0; i < 6; ++i) y = ad::let(y + dt * tanh(matmul(y, w) + b));
            return mean(square(y - yt));
        },
        "euler_ode", [](test_case& c) {
            REQUIRE(c.integer("steps") == 6);
            add_parameter(c, "dt");
        });
}
