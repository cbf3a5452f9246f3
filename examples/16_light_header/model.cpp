// SPDX-License-Identifier: MIT
// The model itself: the only file that includes the whole library, and that is compiled again when the model changes.
#include "model.hpp"

#include <tapeless/tapeless.hpp>

namespace {

constexpr auto classify = [](auto const& m, auto x) {
    auto layer = [](auto h, auto w, auto b) { return h + 0.2f * tanh(linear(h, w, b)); };
    return linear(ad::fold(layer, tanh(linear(x, m.in)), m.w, m.b), m.out);
};
constexpr auto loss = [](auto const& m, auto x, auto labels) {
    return ad::loss::cross_entropy(classify(m, x), labels);
};

}  // namespace

ad::function<ad::tensor<float, ad::dyn, classes>(classifier const&, points)> scores() { return ad::fused(classify); }

ad::function<float(ad::into_t<classifier&>, classifier const&, points, std::span<int const>)> loss_and_gradient() {
    return ad::value_and_grad<0>(loss);
}

ad::function<float(classifier&, points, std::span<int const>)> training(classifier const& m, double learning_rate) {
    return [step = loss_and_gradient(), optimizer = ad::optim::adam(m, {.learning_rate = learning_rate}),
            g = classifier{}](classifier& model, points x, std::span<int const> labels) mutable {
        float const value = step(ad::into(g), model, x, labels);
        optimizer.step(model, g);
        return value;
    };
}
