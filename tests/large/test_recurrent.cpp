// SPDX-License-Identifier: MIT
// Recurrent networks of many steps, by fold and scan.

#include "large/run_large.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("large: the last state of a recurrent network", "", double, float) {
    run_large<TestType, matrix, cube, matrix, matrix, matrix, vector>(
        [](auto x, auto h0, auto wx, auto wh, auto b) {
            return ad::fold([&](auto const& h, auto const& now) { return tanh(matmul(now, wx) + matmul(h, wh) + b); },
                            h0, x);
        },
        "rnn_scan");
}

TEMPLATE_TEST_CASE("large: a recurrent network with a loss in each step", "", double, float) {
    run_loss<TestType, data<cube>, matrix, matrix, matrix, vector, matrix, data<cube>>(
        [](auto x, auto h0, auto wx, auto wh, auto b, auto wo, auto y) {
            auto step = [&](auto const& h, auto const& now, auto const& target) {
                auto next = ad::let(tanh(matmul(now, wx) + matmul(h, wh) + b));
                return std::pair(next, ad::loss::mse(matmul(next, wo), target));
            };
            auto [last, losses] = ad::scan(step, h0, x, y);
            return mean(losses);
        },
        "rnn_unrolled", unchanged, "large");
}

TEMPLATE_TEST_CASE("large: a gated network that joins its input and its state", "", double, float) {
    run_loss<TestType, data<cube>, matrix, matrix, matrix, matrix>(
        [](auto x, auto h0, auto wz, auto wr, auto wn) {
            auto step = [&](auto const& h, auto const& now) {
                auto u = ad::let(ad::concat<1>(now, h));
                auto z = ad::let(sigmoid(matmul(u, wz)));
                auto r = ad::let(sigmoid(matmul(u, wr)));
                auto n = ad::let(tanh(matmul(ad::concat<1>(now, r * h), wn)));
                return (1.0 - z) * n + z * h;
            };
            auto h = ad::fold(step, h0, x);
            return mean(square(h)) + mean(h);
        },
        "gru_unrolled", unchanged, "large");
}

TEMPLATE_TEST_CASE("large: a network with gates cut from one product", "", double, float) {
    using state = shape_pattern<run, 3>;
    run_loss<TestType, data<cube>, state, state, matrix, matrix, vector, matrix, integers<vector>>(
        [](auto x, auto h0, auto c0, auto wx, auto wh, auto b, auto wo, auto target) {
            auto step = [&](auto const& both, auto const& now) {
                auto const& [h, c] = both;
                auto [i, f, g, o] = ad::split<1, 3, 3, 3, 3>(matmul(now, wx) + matmul(h, wh) + b);
                auto next = ad::let(sigmoid(f) * c + sigmoid(i) * tanh(g));
                return std::tuple(ad::let(sigmoid(o) * tanh(next)), next);
            };
            auto [h, c] = ad::fold(step, std::tuple(h0, c0), x);
            return ad::loss::cross_entropy(matmul(h, wo), target);
        },
        "lstm_unrolled", unchanged, "large");
}
