// SPDX-License-Identifier: MIT
// Ninety-six layers in one function, each with parameters of its own: value and gradient beside plain loops.

#include <array>
#include <cmath>

#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr std::size_t layers = 96, width = 11;

template <template <class, auto...> class Tensor>
struct layer {
    Tensor<double, width> scale, shift;
};

constexpr auto deep = [](auto const& all, auto x) {
    auto h = ad::let(x);
    for (auto const& l : all) h = ad::let(h + 0.1 * tanh(h * l.scale + l.shift));
    return mean(square(h));
};

}  // namespace

TEST_CASE("depth: 96 layers have the value and the gradients of plain loops") {
    std::array<layer<ad::tensor>, layers> all;
    ad::tensor<double, 5, width> x;
    int k = 0;
    for (auto& l : all)
        for (std::size_t i = 0; i < width; ++i) {
            l.scale(i) = std::sin(++k);
            l.shift(i) = std::cos(++k);
        }
    for (double& v : x) v = std::sin(0.3 * ++k);

    double value = 0;
    std::array<layer<ad::tensor>, layers> expected;
    for (auto& l : expected) l.scale = l.shift = ad::tensor<double, width>{};
    ad::tensor<double, 5, width> by_x;
    for (std::size_t r = 0; r < 5; ++r)
        for (std::size_t i = 0; i < width; ++i) {  // columns have nothing to do with one another
            std::array<double, layers + 1> h;
            h[0] = x(r, i);
            for (std::size_t n = 0; n < layers; ++n)
                h[n + 1] = h[n] + 0.1 * std::tanh(h[n] * all[n].scale(i) + all[n].shift(i));
            value += h[layers] * h[layers] / static_cast<double>(x.size());
            double g = 2 * h[layers] / static_cast<double>(x.size());
            for (std::size_t n = layers; n-- > 0;) {
                double const t = std::tanh(h[n] * all[n].scale(i) + all[n].shift(i)), d = 0.1 * g * (1 - t * t);
                expected[n].scale(i) += d * h[n];
                expected[n].shift(i) += d;
                g += d * all[n].scale(i);
            }
            by_x(r, i) = g;
        }

    auto const [got, gradients] = ad::value_and_grad<0, 1>(deep)(all, x);
    auto const& [g, gx] = gradients;
    CHECK(std::abs(got - value) < 1e-12 * std::abs(value));
    double worst = 0;
    for (std::size_t n = 0; n < layers; ++n)
        for (std::size_t i = 0; i < width; ++i)
            worst = std::max({worst, std::abs(g[n].scale(i) - expected[n].scale(i)),
                              std::abs(g[n].shift(i) - expected[n].shift(i))});
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(gx.data()[i] - by_x.data()[i]));
    CHECK(worst < 1e-13);
}
