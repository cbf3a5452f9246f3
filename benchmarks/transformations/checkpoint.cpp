// SPDX-License-Identifier: MIT
// 64 equal layers, plain and in 8 segments that are computed again in the backward pass: time and workspace of a
// gradient.

#include "transformations/report.hpp"

#include <memory>

namespace {

constexpr int width = 64, hidden = 128, batch = 64;

template <template <class, auto...> class Tensor>
struct Layer {
    Tensor<float, width, hidden> up;
    Tensor<float, hidden, width> down;
    constexpr auto operator()(auto const& x) const { return x + 0.1 * matmul(tanh(matmul(x, up)), down); }
};
using Layers = std::array<Layer<ad::tensor>, 64>;
using Rows = ad::tensor<float, batch, width>;

constexpr auto plain = [](auto const& layers, auto x) {
    auto h = ad::let(x);
    for (auto const& layer : layers) h = ad::let(layer(h));
    return mean(square(h));
};
constexpr auto in_segments = [](auto const& layers, auto x) {
    return mean(square(ad::checkpoint_sequential<8>(layers, x)));
};

template <class F>
constexpr double workspace_of(F f) {
    return static_cast<double>(decltype(ad::value_and_grad<0>(f))::template plan<Layers, Rows>().workspace_bytes());
}

}  // namespace

void checkpoint(options const& o) {
    char const* const name = "checkpoint, 64 layers in 8 segments";
    if (!is_wanted(o, name)) return;
    auto const layers = std::make_unique<Layers>(), g = std::make_unique<Layers>();
    for (auto& l : *layers) fill_all(l.up, l.down);
    Rows x;
    fill_all(x);
    auto whole = ad::value_and_grad<0>(plain);
    auto parts = ad::value_and_grad<0>(in_segments);
    auto const ns = least_of_each([&] { return whole(ad::into(*g), *layers, x); },
                                  [&] { return parts(ad::into(*g), *layers, x); });
    constexpr double kept = workspace_of(plain), recomputed = workspace_of(in_segments);
    std::printf("\n%s, float: a gradient takes %.2f times the time of the plain one (%.0f us), target 1.4,\n"
                "and %.2f times its workspace (%.0f KiB), target 0.25\n",
                name, ns[1] / ns[0], ns[0] / 1000, recomputed / kept, kept / 1024);
    if (o.explained) std::printf("\n%s\n", ad::explain(parts, *layers, x).c_str());
}
