// SPDX-License-Identifier: MIT
// Composite programs of the reference: weights used several times, in steps or in the parts of a loss.

#include "programs/run_loss.hpp"

using namespace reference;

TEST_CASE("programs: a variational autoencoder") {
    run_loss<double, data<matrix>, data<matrix>, matrix, matrix, matrix, matrix, matrix>(
        [](auto x, auto noise, auto we, auto wm, auto ws, auto wd, auto wx) {
            auto h = ad::let(softplus_of(ad::let(matmul(x, we))));
            auto mu = ad::let(matmul(h, wm)), lv = ad::let(matmul(h, ws));
            auto s = mu + exp(0.5 * lv) * noise;
            auto logits = ad::let(matmul(tanh(matmul(s, wd)), wx));
            return mean(sum<1>(bce_of_logits(logits, x))) + 0.5 * mean(sum<1>(exp(lv) + square(mu) - 1.0 - lv));
        },
        "vae_elbo");
}

TEST_CASE("programs: an encoder compared with itself three times") {
    run_loss<double, data<matrix>, data<matrix>, data<matrix>, matrix, vector, data<scalar>>(
        [](auto a, auto p, auto n, auto w, auto b, auto margin) {
            auto f = [&](auto x) { return ad::let(tanh(matmul(x, w) + b)); };
            auto fa = f(a);
            auto far = [&](auto fx) { return sqrt(sum<1>(square(fa - fx))); };
            return mean(relu(far(f(p)) - far(f(n)) + margin));
        },
        "triplet_encoder", [](test_case& c) { add_parameter(c, "margin"); });
}

TEST_CASE("programs: a recurrent network over five steps, its weights used in each") {
    run_loss<double, steps<5>, matrix, matrix, matrix, vector, matrix, steps<5>>(
        [](auto x, auto h0, auto wx, auto wh, auto b, auto wo, auto y) {
            auto h = ad::let(1.0 * h0);
            auto loss = ad::let(0.0 * sum(h));
            for (std::size_t t = 0; t < 5; ++t) {
                h = ad::let(tanh(matmul(x[t], wx) + matmul(h, wh) + b));
                loss = ad::let(loss + mean(square(matmul(h, wo) - y[t])));
            }
            return loss / 5.0;
        },
        "rnn_unrolled");
}

TEST_CASE("programs: an ordinary differential equation in six steps of Euler") {
    run_loss<double, matrix, matrix, vector, data<matrix>, data<scalar>>(
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
