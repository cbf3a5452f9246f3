// SPDX-License-Identifier: MIT
// function: made where the whole library is known. The light header comes first here, and again after the other.
// CMakeLists.txt keeps the precompiled header away from this file.

#include "light/model.hpp"

#include <tapeless/tapeless.hpp>
#include <tapeless/tensor.hpp>

#include "support/catch.hpp"

namespace {

constexpr auto cubic = [](auto x, auto y) { return x * square(y); };
constexpr auto weighted = [](auto x, auto w) { return sum(x * x * w); };
constexpr auto scaled = [](auto const& s, auto x) { return s.gain * x + s.shift; };
constexpr auto mean_square = [](auto const& s, auto x) { return mean(square(scaled(s, x))); };

}  // namespace

namespace light {

ad::function<double(double, double)> number() { return ad::fused(cubic); }
ad::function<std::pair<double, std::tuple<double, double>>(double, double)> number_with_gradients() {
    return ad::value_and_grad<0, 1>(cubic);
}
ad::function<ad::tensor<double, 3>(ad::tensor<double, 3>, ad::tensor<double, 3>)> gradient_of_static() {
    return ad::grad<0>(weighted);
}
ad::function<ad::value_and_gradient<double, std::vector<double>>(std::vector<double> const&, std::span<double const>)>
gradient_of_vectors() {
    return ad::value_and_grad<0>(weighted);
}
ad::function<ad::tensor<double, ad::dyn>(ad::view<double const, ad::dyn>, ad::view<double const, ad::dyn>)>
gradient_of_views() {
    return ad::grad<0>(weighted);
}
ad::function<double(ad::into_t<ad::view<double, ad::dyn>, ad::view<double, ad::dyn>>, ad::view<double const, ad::dyn>,
                    ad::view<double const, ad::dyn>)>
gradients_into_views() {
    return ad::value_and_grad<0, 1>(weighted);
}
ad::function<float(model const&, rows const&)> loss() { return ad::fused(mean_square); }
ad::function<step_result(model const&, rows const&)> loss_and_gradient() { return ad::value_and_grad<0>(mean_square); }
ad::function<float(ad::into_t<model&>, model const&, rows const&)> loss_with_gradient_into() {
    return ad::value_and_grad<0>(mean_square);
}
ad::function<void(ad::into_t<rows&>, model const&, rows const&)> scaled_into() { return ad::fused(scaled); }
ad::function<float(model&, rows const&)> descent(float rate) {
    return [step = ad::value_and_grad<0>(mean_square), optimizer = ad::optim::sgd(model{}, {.learning_rate = rate}),
            g = model{}](model& m, rows const& x) mutable {
        float const value = step(ad::into(g), m, x);
        optimizer.step(m, g);
        return value;
    };
}
}  // namespace light

namespace ad = tapeless;

TEST_CASE("light: what one file declares by the light header, another makes") {
    using namespace light;
    CHECK(loss()(model{.gain = {1, 2, 3}, .shift = {0, 0, 1}}, rows{{1, 2, 3}, {4, 5, 6}}) == 99);
}
