// SPDX-License-Identifier: MIT
// Convolutions of one channel a group, which have loops of their own for few taps: beside dense ones.

#include <algorithm>
#include <cmath>
#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

template <class X>
void fill(X& x, double v) {
    for (auto& e : x) e = static_cast<float>(v = std::fmod(v * 7.3 + 0.6, 3.0) - 1);
}
/// The largest difference, relative to the largest number.
template <class X>
double difference(X const& a, X const& b) {
    double worst = 0, largest = 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        worst = std::max(worst, std::abs(double{a.data()[i]} - b.data()[i]));
        largest = std::max(largest, std::abs(double{b.data()[i]}));
    }
    return worst / largest;
}
template <int K>
void compare(std::size_t rows, std::size_t columns) {
    ad::tensor<float, ad::dyn, 3, ad::dyn, ad::dyn> x(2, rows, columns);
    ad::tensor<float, 3, 1, K, K> w;
    ad::tensor<float, 3, 3, K, K> dense{};
    fill(x, 0.3), fill(w, 0.7);
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t k = 0; k < K * K; ++k) dense.data()[c * 4 * K * K + k] = w.data()[c * K * K + k];
    auto const [y, g] = ad::value_and_grad<0, 1>([](auto a, auto b) {
        return sum(square(ad::conv2d<ad::conv{.padding = K / 2, .groups = 3}>(a, b)));
    })(x, w);
    auto const [z, h] = ad::value_and_grad<0, 1>([](auto a, auto b) {
        return sum(square(ad::conv2d<ad::conv{.padding = K / 2}>(a, b)));
    })(x, dense);
    INFO(K << ": " << rows << " x " << columns);
    CHECK(std::abs(y - z) <= 1e-5 * std::abs(z));
    CHECK(difference(std::get<0>(g), std::get<0>(h)) < 2e-6);
    double worst = 0;
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t k = 0; k < K * K; ++k)
            worst = std::max(worst, std::abs(double{std::get<1>(g).data()[c * K * K + k]} -
                                             std::get<1>(h).data()[c * 4 * K * K + k]));
    CHECK(worst <= 1e-4 * std::abs(z));
}

}  // namespace

TEST_CASE("conv2d: one channel a group, 3 x 3 and 5 x 5, is the dense convolution with zeros") {
    for (std::size_t columns : {1u, 3u, 4u, 5u, 7u, 8u, 9u, 16u, 17u, 33u})
        for (std::size_t rows : {1u, 2u, 4u, 5u, 9u}) {
            compare<3>(rows, columns);
            compare<5>(rows, columns);
        }
}
