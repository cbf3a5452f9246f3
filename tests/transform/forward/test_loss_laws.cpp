// SPDX-License-Identifier: MIT
// Forward mode of losses and attention is the adjoint of reverse mode; also of those that have no second derivative.

#include "laws.hpp"

namespace {

namespace ad = tapeless;
namespace loss = ad::loss;
using laws::of;
using laws::spread;

/// Of arrays x and y between 0.05 and 0.95; t holds 1 and 0 or -1.
constexpr std::tuple pairs{
    of("mse", [](auto x, auto y, auto, auto) { return loss::mse(x, y); }),
    of("l1", [](auto x, auto y, auto, auto) { return loss::l1(x, y); }),
    of("smooth_l1", [](auto x, auto y, auto, auto) { return loss::smooth_l1(x, y, 0.3); }),
    of("huber", [](auto x, auto y, auto, auto) { return loss::huber(x, y, 0.3); }),
    of("poisson_nll", [](auto x, auto y, auto, auto) { return loss::poisson_nll(x, y); }),
    of("gaussian_nll", [](auto x, auto y, auto, auto) { return loss::gaussian_nll(x, y, 0.5 + x * y); }),
    of("kl_div", [](auto x, auto y, auto, auto) { return loss::kl_div(log(x), y); }),
    of("kl_divergence", [](auto x, auto y, auto, auto) { return loss::kl_divergence(x, y); }),
    of("bce", [](auto x, auto y, auto, auto) { return loss::bce(x, y); }),
    of("bce_with_logits", [](auto x, auto y, auto, auto) { return loss::bce_with_logits(x - 0.5, y); }),
    of("focal", [](auto x, auto y, auto, auto t) { return loss::focal(x, t, 0.3, 1.5) + sum(y); }),
    of("focal_with_logits", [](auto x, auto y, auto, auto t) { return loss::focal_with_logits(x - y, t); }),
    of("hinge", [](auto x, auto y, auto s, auto) { return loss::hinge(x * y, s); }),
    of("hinge_embedding", [](auto x, auto y, auto s, auto) { return loss::hinge_embedding(x + y, s, 1.1); }),
    of("margin_ranking", [](auto x, auto y, auto s, auto) { return loss::margin_ranking(x, y, s, 0.1); }),
    of("cosine_similarity", [](auto x, auto y, auto, auto) { return ad::cosine_similarity(x, y); }),
    of("cosine", [](auto x, auto y, auto, auto) { return loss::cosine(x, y); }),
    of("cosine_embedding",
       [](auto x, auto y, auto s, auto) { return loss::cosine_embedding(x, y, ad::select<1>(s, 0), 0.2); }),
    of("triplet_margin", [](auto x, auto y, auto s, auto) { return loss::triplet_margin(x, y, x * y + 0.1 * s); }),
    of("multilabel_soft_margin", [](auto x, auto y, auto, auto t) { return loss::multilabel_soft_margin(x - y, t); }),
    of("attention", [](auto x, auto y, auto s, auto) { return ad::attention(x, y, x * s); }),
};
/// Of scores x, class indices t, labels of rows, a weight and a bias.
constexpr std::tuple classes{
    of("nll", [](auto x, auto, auto, auto t, auto) { return loss::nll(x, t); }),
    of("cross_entropy",
       [](auto x, auto, auto, auto t, auto) { return loss::cross_entropy(x, t, {.label_smoothing = 0.1}); }),
    of("cross_entropy of probabilities",
       [](auto x, auto, auto, auto, auto) { return loss::cross_entropy(x, ad::stop_gradient(ad::softmax<1>(x * x))); }),
    of("multi_margin", [](auto x, auto, auto, auto t, auto) { return loss::multi_margin(x, t); }),
    of("multilabel_margin", [](auto x, auto, auto, auto, auto l) { return loss::multilabel_margin(x, l); }),
    of("fused_linear_cross_entropy",
       [](auto x, auto w, auto b, auto t, auto) {
           return loss::fused_linear_cross_entropy(x, w, b, t, {.ignore_index = 2, .label_smoothing = 0.1});
       }),
    of("fused_linear_cross_entropy without a bias",
       [](auto x, auto w, auto, auto t, auto) { return loss::fused_linear_cross_entropy(x, w, t); }),
};
constexpr std::tuple sequences{
    of("ctc", [](auto x, auto y, auto t, auto l) { return loss::ctc(ad::log_softmax<2>(x), y, t, l); }),
    of("ctc of each", [](auto x, auto y, auto t, auto l) { return loss::ctc<loss::reduction::none>(x, y, t, l); }),
};

}  // namespace

TEST_CASE("forward mode: losses of two arrays, and attention, are the adjoint of reverse mode") {
    using array = ad::tensor<double, 3, 4>;
    array const x = spread(array{}, 0.05, 0.95, 1), y = spread(array{}, 0.05, 0.95, 4);
    array const s{{1, -1, 1, 1}, {-1, -1, 1, -1}, {1, 1, -1, 1}}, t{{1, 0, 1, 1}, {0, 0, 1, 0}, {1, 1, 0, 1}};
    laws::check(pairs, std::tuple(x, y), std::tuple(spread(array{}, -1, 1, 2), spread(array{}, -1, 1, 3)),
                std::tuple(s, t));
}

TEST_CASE(
    "forward mode: losses of classes are the adjoint of reverse mode, also where the scores never exist backwards") {
    using array = ad::tensor<double, 3, 4>;
    using matrix = ad::tensor<double, 4, 4>;
    using vector = ad::tensor<double, 4>;
    ad::tensor<int, 3> const t{1, 3, 2};
    ad::tensor<int, 3, 4> const labels{{1, 3, -1, 0}, {0, -1, 1, 2}, {2, 1, 0, -1}};
    laws::check(classes, std::tuple(spread(array{}, -1, 1, 1), spread(matrix{}, -1, 1, 2), spread(vector{}, -1, 1, 3)),
                std::tuple(spread(array{}, -1, 1, 4), spread(matrix{}, -1, 1, 5), spread(vector{}, -1, 1, 6)),
                std::tuple(t, labels));
}

TEST_CASE("forward mode: ctc is the adjoint of reverse mode") {
    using array = ad::tensor<double, 5, 2, 3>;
    ad::tensor<int, 2, 2> const y{{1, 2}, {2, 2}};
    ad::tensor<int, 2> const t{5, 4}, l{2, 1};
    laws::check(sequences, std::tuple(spread(array{}, -2, -0.1, 1)), std::tuple(spread(array{}, -1, 1, 2)),
                std::tuple(y, t, l));
}
