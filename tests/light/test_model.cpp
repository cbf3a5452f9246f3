// SPDX-License-Identifier: MIT
// function: made where the whole library is known. The light header comes first here, and again after the other.

#include "light/model.hpp"

#include <tapeless/tapeless.hpp>
#include <tapeless/tensor.hpp>

#include <array>
#include <memory>

#include "support/catch.hpp"
#include "support/messages.hpp"

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
ad::function<ad::tensor<double, ad::dyn>(ad::view<double const, ad::dyn>, ad::view<double const, ad::dyn>)> gradient_of_views() {
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
ad::function<int()> counter() {
    return [n = 0]() mutable { return ++n; };
}

}  // namespace light

namespace ad = tapeless;

TEST_CASE("function: a transformation of every kind can be hidden, and gives what it gives itself") {
    using vector = ad::tensor<double, 2>;
    auto f = [](auto x) { return sum(square(x) * square(x)); };
    vector const x{1, 2}, v{1, -1};
    ad::function<ad::value_and_tangent<double, double>(vector, vector)> forward = ad::jvp<0>(f);
    auto const [value, slope] = forward(x, v);
    CHECK(value == 17);
    CHECK(slope == 4 - 32);
    ad::function<ad::tensor<double, 2, 2>(vector)> hessian = ad::hessian<0>(f);
    CHECK(hessian(x) == ad::tensor<double, 2, 2>{{12, 0}, {0, 48}});
    ad::function<vector(vector, vector)> product = ad::hvp<0>(f);
    CHECK(product(x, v) == vector{12, -48});
    ad::function<vector(ad::tensor<double, 2, 2>)> each = ad::vmap<0>(f);
    CHECK(each(ad::tensor<double, 2, 2>{{1, 2}, {0, 3}}) == vector{17, 81});
}

TEST_CASE("function: the result may be another tree of as many parts, or an array whose extents are spelled otherwise") {
    using vector = ad::tensor<float, 2>;
    vector const x{1, 2}, w{3, 4};
    ad::function<std::tuple<double, std::array<ad::tensor<float, ad::dyn>, 2>>(vector, vector)> f = ad::value_and_grad<0, 1>(weighted);
    auto const [value, gradients] = f(x, w);
    CHECK(value == 19);
    CHECK(gradients[0] == vector{6, 16});
    CHECK(gradients[1] == vector{1, 4});
    ad::function<void(vector, vector)> dropped = ad::grad<0>(weighted);
    dropped(x, w);
}

TEST_CASE("function: of a function of another signature, where an empty one makes an empty one") {
    ad::function<float(float)> single = [](float x) { return x + 0.5f; };
    ad::function<double(float)> wide = single;
    CHECK(wide(1.0f) == 1.5);
    CHECK_FALSE(ad::function<double(float)>(ad::function<float(float)>()));
    CHECK_FALSE(ad::function<double(double)>(static_cast<double (*)(double)>(nullptr)));
    ad::function<double(double)> pointer = +[](double x) { return 2 * x; };
    CHECK(pointer(4) == 8);
}

TEST_CASE("function: a reference that the callable returns comes back as one") {
    int n = 3;
    ad::function<int&(int&)> same = [](int& i) -> int& { return i; };
    same(n) = 4;
    CHECK(n == 4);
}

TEST_CASE("function: lbfgs minimises what a function hides") {
    ad::tensor<double, 2> x{3, -2};
    ad::function<double(ad::into_t<ad::tensor<double, 2>&>, ad::tensor<double, 2>)> f =
        ad::value_and_grad<0>([](auto v) { return sum(square(v - 1.0)); });
    auto const report = ad::optim::lbfgs(x).minimize(x, f);
    CHECK(report.converged());
    CHECK_THAT(x(0), Catch::Matchers::WithinAbs(1, 1e-6));
    CHECK_THAT(x(1), Catch::Matchers::WithinAbs(1, 1e-6));
}
