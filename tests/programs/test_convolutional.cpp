// SPDX-License-Identifier: MIT
// Composite programs of the reference with convolutions: a network for images, one that makes them, and one for
// sequences.

#include "programs/run_loss.hpp"
#include "ops/shape/shape_cases.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("programs: a convolutional network with two kinds of pooling", "", double, float) {
    run_loss<TestType, of<run, 1, run, run>, of<4, 1, 3, 3>, of<4>, of<3, 4, 3, 3>, of<3>, of<run, run>, of<run>,
             integers<of<run>>>(
        [](auto x, auto k1, auto c1, auto k2, auto c2, auto w, auto b, auto target) {
            auto const h =
                ad::let(ad::max_pool2d<ad::pool{.size = 2}>(relu(ad::conv2d<ad::conv{.padding = 1}>(x, k1, c1))));
            auto const y =
                ad::let(ad::avg_pool2d<ad::pool{.size = 2}>(silu(ad::conv2d<ad::conv{.padding = 1}>(h, k2, c2))));
            return ad::loss::cross_entropy(linear(ad::flatten<1>(y), w, b), target);
        },
        "conv_net");
}

TEMPLATE_TEST_CASE("programs: a decoder with a transposed convolution and group_norm", "", double, float) {
    run_loss<TestType, of<run, 4, 3, 3>, of<4, 4, 2, 2>, of<4>, of<4>, of<1, 4, 3, 3>, data<of<run, 1, 6, 6>>>(
        [](auto z, auto k1, auto g, auto be, auto k2, auto y) {
            auto const h = ad::let(ad::group_norm<2>(ad::conv_transpose2d<ad::conv{.stride = 2}>(z, k1), g, be, 1e-5));
            return ad::loss::bce_with_logits(ad::conv2d<ad::conv{.padding = 1}>(mish(h), k2), y);
        },
        "group_norm_decoder");
}

TEMPLATE_TEST_CASE("programs: a convolution over sequences behind ctc", "", double, float) {
    run_loss<TestType, data<of<run, run, run>>, of<run, run, 3>, of<run>, integers<of<run, run>>, integers<of<run>>,
             integers<of<run>>>(
        [](auto x, auto k, auto b, auto targets, auto steps, auto lengths) {
            auto const logits = ad::permute<2, 0, 1>(ad::conv1d<ad::conv{.padding = 1}>(x, k, b));
            return ad::loss::ctc(ad::log_softmax(logits), targets, steps, lengths);
        },
        "conv1d_ctc");
}
