// SPDX-License-Identifier: MIT
// checkpoint changes what is kept, and nothing else.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "transform/calls/arrays.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// A layer as a function: a residual of two products and a tanh.
template <template <class, auto...> class Tensor>
struct Layer {
    Tensor<float, 16, 32> up;
    Tensor<float, 32, 16> down;
    constexpr auto operator()(auto const& x) const { return x + 0.1 * matmul(tanh(matmul(x, up)), down); }
};
template <int Segments>
constexpr auto deep = [](auto const& layers, auto x) {
    if constexpr (Segments > 0) return mean(square(ad::checkpoint_sequential<Segments>(layers, x)));
    else {
        auto h = ad::let(x);
        for (auto const& layer : layers) h = ad::let(layer(h));
        return mean(square(h));
    }
};
template <int N, int Segments>
constexpr std::int64_t workspace = ad::grad<0>(deep<Segments>)
                                       .template plan<std::array<Layer<ad::tensor>, N>, ad::tensor<float, 64, 16>>()
                                       .workspace_bytes();

/// Dropout: what is drawn again is what was drawn.
constexpr auto noisy = [](auto x, auto w, auto seed) {
    return ad::dropout(tanh(matmul(x, w)), seed, 0.5);
};
template <bool Checkpoints>
constexpr auto noisy_loss = [](auto x, auto w, auto seed) {
    if constexpr (Checkpoints) return sum(square(ad::checkpoint(noisy)(ad::checkpoint(noisy)(x, w, seed), w, seed)));
    else return sum(square(noisy(ad::let(noisy(x, w, seed)), w, seed)));
};

constexpr auto roots = [](auto x) { return sqrt(x); };
constexpr auto squares = [](auto x) { return square(x) + x; };
constexpr auto waves = [](auto x) { return sin(x); };

}  // namespace

TEST_CASE("checkpoint: gradients are the same to the last bit, for equal layers in any number of segments") {
    std::array<Layer<ad::tensor>, 8> layers;
    double begin = 0;
    for (auto& l : layers) {
        fill(l.up, 0.3, ++begin);
        fill(l.down, 0.3, ++begin);
    }
    ad::tensor<float, 64, 16> x;
    fill(x, 1, 0.5);
    auto const [y, g] = ad::value_and_grad<0, 1>(deep<0>)(layers, x);
    auto const [z, h] = ad::value_and_grad<0, 1>(deep<3>)(layers, x);  // segments of 2, 3 and 3 layers
    CHECK(std::abs(y - z) < 1e-6f);                                    // the last sum is another kernel's
    for (std::size_t l = 0; l < 8; ++l) {
        CHECK(std::get<0>(g)[l].up == std::get<0>(h)[l].up);
        CHECK(std::get<0>(g)[l].down == std::get<0>(h)[l].down);
    }
    CHECK(std::get<1>(g) == std::get<1>(h));
}

TEST_CASE("checkpoint: 64 equal layers in 8 segments need at most a quarter of the workspace") {
    STATIC_REQUIRE(4 * workspace<64, 8> <= workspace<64, 0>);
}

TEST_CASE("checkpoint: what was drawn is drawn again") {
    ad::tensor<double, 9, 7> x;
    ad::tensor<double, 7, 7> w;
    fill(x, 1, 0);
    fill(w, 0.5, 1);
    std::int64_t const seed = 11;
    auto const [y, g] = ad::value_and_grad<0, 1>(noisy_loss<false>)(x, w, seed);
    auto const [z, h] = ad::value_and_grad<0, 1>(noisy_loss<true>)(x, w, seed);
    CHECK(std::abs(y - z) < 1e-13);  // the last sum is another kernel's
    CHECK(g == h);
}

TEST_CASE("checkpoint: on arrays, of layers of different kinds, and under other transformations") {
    ad::tensor<double, 3> const x{1, 4, 9};
    CHECK(ad::checkpoint(roots)(x) == ad::tensor<double, 3>{1, 2, 3});
    constexpr auto total = [](auto v) {
        return sum(ad::checkpoint_sequential<2>(std::tuple(roots, squares, waves), v));
    };
    constexpr auto plain = [](auto v) { return sum(waves(squares(roots(v)))); };
    CHECK(ad::evaluate(total, x) == ad::evaluate(plain, x));
    CHECK(ad::grad<0>(total)(x) == ad::grad<0>(plain)(x));
    CHECK(ad::grad<0>(ad::checkpoint(plain))(x) == ad::grad<0>(plain)(x));
    auto const h = ad::hessian<0>(total)(x), k = ad::hessian<0>(plain)(x);
    for (std::size_t i = 0; i < 9; ++i) CHECK(std::abs(h.data()[i] - k.data()[i]) < 1e-14);
}
