// SPDX-License-Identifier: MIT
#pragma once
// Functions that one file of this folder compiles and another calls: what a program's own header would look like.

#include <tapeless/tensor.hpp>

#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace light {

namespace ad = tapeless;

template <template <class, auto...> class Tensor>
struct Scaling {
    Tensor<float, 3> gain, shift;
};
using model = Scaling<ad::tensor>;
using rows = ad::tensor<float, ad::dyn, 3>;

/// Value and gradient under names of one's own.
struct step_result {
    double loss;
    model gradient;
};

// of numbers: x y^2
ad::function<double(double, double)> number();
ad::function<std::pair<double, std::tuple<double, double>>(double, double)> number_with_gradients();

// of arrays: sum(x x w)
ad::function<ad::tensor<double, 3>(ad::tensor<double, 3>, ad::tensor<double, 3>)> gradient_of_static();
ad::function<ad::value_and_gradient<double, std::vector<double>>(std::vector<double> const&, std::span<double const>)>
gradient_of_vectors();
ad::function<ad::tensor<double, ad::dyn>(ad::view<double const, ad::dyn>, ad::view<double const, ad::dyn>)>
gradient_of_views();
ad::function<double(ad::into_t<ad::view<double, ad::dyn>, ad::view<double, ad::dyn>>, ad::view<double const, ad::dyn>,
                    ad::view<double const, ad::dyn>)>
gradients_into_views();

// of a model: mean((gain x + shift)^2)
ad::function<float(model const&, rows const&)> loss();
ad::function<step_result(model const&, rows const&)> loss_and_gradient();
ad::function<float(ad::into_t<model&>, model const&, rows const&)> loss_with_gradient_into();
ad::function<void(ad::into_t<rows&>, model const&, rows const&)> scaled_into();

/// A step of gradient descent, with its gradient inside.
ad::function<float(model&, rows const&)> descent(float rate);

}  // namespace light
