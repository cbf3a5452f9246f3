// SPDX-License-Identifier: MIT
// What stands behind a convolution runs with it, some images at a time: the same bits as for each image alone, on any
// number of threads, in memory for those images.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>

#include "support/catch.hpp"
#include "threads/same_bits.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
void fill(A& a, double first) {
    for (auto& v : a) v = static_cast<typename A::value_type>(std::sin(first += 0.7));
}

constexpr auto activated = [](auto x, auto w, auto b) { return tanh(ad::conv2d(x, w, b)); };
constexpr auto pooled = [](auto x, auto w, auto b) {
    return ad::max_pool2d<ad::pool{.size = 2}>(tanh(ad::conv2d<ad::conv{.stride = {2, 1}, .padding = 1}>(x, w, b)) -
                                               0.1);
};
constexpr auto averaged = [](auto x, auto w, auto b) {
    return ad::avg_pool2d<ad::pool{.size = 3, .stride = 2}>(exp(-square(ad::conv2d<ad::conv{.padding = 2}>(x, w, b))));
};
constexpr auto apart = [](auto x, auto w, auto b) {  // depthwise
    return relu(ad::conv2d<ad::conv{.padding = 1, .groups = 4}>(x, w, b)) + x;
};

/// f of many images, and of each alone in a program that knows that there is one.
template <int C, int G, class F, class... W>
void same_as_alone(F f, std::size_t most, W const&... weights) {
    auto all = ad::fused(f);
    auto one = ad::fused(f);
    using T = double;
    for (std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(2), most / 2, most - 1, most, most + 1}) {
        ad::tensor<T, dyn, C, 30, 29> x(n);
        ad::tensor<T, 1, C, 30, 29> image;
        fill(x, 0.3);
        auto const y = all(x, weights...);
        bool same = true;
        for (std::size_t i = 0; i < n; ++i) {
            std::memcpy(image.data(), x.data() + i * image.size(), image.size() * sizeof(T));
            auto const expected = one(image, weights...);
            same = same && y.size() == n * expected.size() &&
                   std::memcmp(y.data() + i * expected.size(), expected.data(), expected.size() * sizeof(T)) == 0;
        }
        CAPTURE(n);
        CHECK(same);
    }
}
bool is_in_strips(std::string const& plan) { return plan.find("  strips   of ") != std::string::npos; }

}  // namespace

TEST_CASE("item strips: the plan says which kernels run together, and how many items at a time") {
    ad::tensor<float, dyn, 1, 28, 28> x(64);
    ad::tensor<float, 8, 1, 5, 5> w;
    ad::tensor<float, 8> b;
    auto net = ad::fused(
        [](auto i, auto v, auto c) { return ad::max_pool2d<ad::pool{.size = 3}>(relu(ad::conv2d(i, v, c))); });
    std::string const plan = ad::explain(net, x, w, b);
    INFO(plan);
    CHECK(plan.find("  strips   of 14 items, together with kernels 0 to 1") != std::string::npos);
    using images = ad::tensor<float, 1000, 1, 28, 28>;
    using all = decltype(net);
    CHECK(all::plan<images, decltype(w), decltype(b)>().workspace_bytes() < 1200000);  // 18 MB of images
}
TEST_CASE("item strips: a strip is worth the weights that it reads again") {
    ad::tensor<float, dyn, 64, 6, 6> x(64);
    ad::tensor<float, 64, 64, 3, 3> w;
    ad::tensor<float, 64> b;
    CHECK(!is_in_strips(ad::explain(ad::fused(activated), x, w, b)));
}
TEST_CASE("item strips: many images have the bits of each alone") {
    ad::tensor<double, 6, 2, 3, 4> w;
    ad::tensor<double, 6> b;
    ad::tensor<double, 4, 1, 3, 3> v;
    ad::tensor<double, 4> c;
    fill(w, 1), fill(b, 2), fill(v, 3), fill(c, 4);
    ad::tensor<double, dyn, 2, 30, 29> x(25);
    REQUIRE(is_in_strips(ad::explain(ad::fused(activated), x, w, b)));
    REQUIRE(is_in_strips(ad::explain(ad::fused(pooled), x, w, b)));
    REQUIRE(is_in_strips(ad::explain(ad::fused(averaged), x, w, b)));
    REQUIRE(is_in_strips(ad::explain(ad::fused(apart), ad::tensor<double, dyn, 4, 30, 29>(25), v, c)));
    same_as_alone<2, 1>(activated, 25, w, b);
    same_as_alone<2, 1>(pooled, 25, w, b);
    same_as_alone<2, 1>(averaged, 25, w, b);
    same_as_alone<4, 4>(apart, 25, v, c);
}
TEST_CASE("item strips: a length of rows that only run time knows") {  // they are not in strips, and right
    auto all = ad::fused(pooled);
    ad::tensor<double, 6, 2, 3, 4> w;
    ad::tensor<double, 6> b;
    fill(w, 1), fill(b, 2);
    ad::tensor<double, 9, 2, 30, 29> x;
    ad::tensor<double, dyn, dyn, dyn, dyn> z(9, 2, 30, 29);
    fill(x, 0.3), fill(z, 0.3);
    auto const y = all(x, w, b);
    auto const same = all(z, w, b);
    REQUIRE(same.size() == y.size());
    CHECK(std::memcmp(same.data(), y.data(), y.size() * sizeof(double)) == 0);
}
TEST_CASE("item strips: gradients, and gradients of gradients, are the sums of those of each image") {
    constexpr auto loss = [](auto x, auto w, auto b) { return sum(square(pooled(x, w, b))); };
    constexpr auto steepness = [](auto x, auto w, auto b) {
        return sum(square(ad::grad<1>([](auto i, auto v, auto c) { return sum(square(pooled(i, v, c))); })(x, w, b)));
    };
    ad::tensor<double, 6, 2, 3, 4> w;
    ad::tensor<double, 6> b;
    fill(w, 1), fill(b, 2);
    ad::tensor<double, dyn, 2, 30, 29> x(25);
    ad::tensor<double, 1, 2, 30, 29> image;
    fill(x, 0.3);
    auto step = ad::value_and_grad<0, 1, 2>(loss);
    REQUIRE(is_in_strips(ad::explain(step, x, w, b)));
    auto const [value, gradients] = step(x, w, b);
    auto const& [dx, dw, db] = gradients;
    double sum = 0, worst = 0;
    ad::tensor<double, 6, 2, 3, 4> weights{};
    ad::tensor<double, 6> biases{};
    for (std::size_t i = 0; i < 25; ++i) {
        std::memcpy(image.data(), x.data() + i * image.size(), image.size() * sizeof(double));
        auto const [v, g] = step(image, w, b);
        sum += v;
        worst += std::memcmp(dx.data() + i * image.size(), std::get<0>(g).data(), image.size() * sizeof(double)) != 0;
        for (std::size_t k = 0; k < weights.size(); ++k) weights.data()[k] += std::get<1>(g).data()[k];
        for (std::size_t k = 0; k < biases.size(); ++k) biases.data()[k] += std::get<2>(g).data()[k];
    }
    CHECK(worst == 0);
    CHECK(value == Approx(sum).epsilon(1e-12));
    for (std::size_t k = 0; k < weights.size(); ++k)
        worst = std::max(worst, std::abs(weights.data()[k] - dw.data()[k]));
    for (std::size_t k = 0; k < biases.size(); ++k) worst = std::max(worst, std::abs(biases.data()[k] - db.data()[k]));
    CHECK(worst < 1e-10);
    ad::tensor<double, 3, 2, 7, 6> few;
    fill(few, 0.4);
    CHECK(ad::check_gradient<0, 1, 2>(steepness, few, w, b).passed);
}
TEST_CASE("item strips: the same bits on any number of threads, and nothing is allocated after the first call") {
    ad::tensor<float, dyn, 1, 28, 28> x(67);
    ad::tensor<float, 8, 1, 5, 5> w;
    ad::tensor<float, 8> b;
    fill(x, 0.1), fill(w, 1), fill(b, 2);
    constexpr auto loss = [](auto i, auto v, auto c) { return sum(exp(-0.1 * pooled(i, v, c))); };
    tests::same_on_all_threads(ad::fused(activated), x, w, b);
    tests::same_on_all_threads(ad::fused(pooled), x, w, b);
    tests::same_on_all_threads(ad::fused(loss), x, w, b);
    tests::same_on_all_threads(ad::value_and_grad<0, 1, 2>(loss), x, w, b);
}
