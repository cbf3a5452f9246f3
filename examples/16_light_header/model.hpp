// SPDX-License-Identifier: MIT
// What the program knows of its model: the parameters, and how it is called. This header is read in half a second.
#pragma once

#include <tapeless/tensor.hpp>

#include <span>

namespace ad = tapeless;

constexpr int features = 8, layers = 16, classes = 3;

/// The layers' weights lie along the first axis, so that one layer is compiled and not sixteen.
template <template <class, auto...> class Tensor>
struct Classifier {
    Tensor<float, features, 2> in;
    Tensor<float, layers, features, features> w;
    Tensor<float, layers, features> b;
    Tensor<float, classes, features> out;
};
using classifier = Classifier<ad::tensor>;
using points = ad::view<float const, ad::dyn, 2>;

/// The scores of each class, a row for each point.
ad::function<ad::tensor<float, ad::dyn, classes>(classifier const&, points)> scores();

/// The loss, for any optimiser: its gradient is written into the target.
ad::function<float(ad::into_t<classifier&>, classifier const&, points, std::span<int const>)> loss_and_gradient();

/// A step of training, which changes the model; the optimiser and its state are inside. Returns the loss before the
/// step.
ad::function<float(classifier&, points, std::span<int const>)> training(classifier const&, double learning_rate);
