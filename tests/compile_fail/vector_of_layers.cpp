// SPDX-License-Identifier: MIT
// A number of layers that only run time knows.
// expect: number_of_layers_is_not_known
// expect: std::array<Layer, n>
// expect: ad::stacked
#include <tapeless/tapeless.hpp>

#include <array>
#include <vector>
namespace ad = tapeless;
struct Layer {
    ad::tensor<double, 3> w;
};
auto f = [](auto const& layers, auto x) {
    auto h = ad::let(x);
    for (auto const& [w] : layers) h = w * h;
    return sum(h);
};
#ifdef RIGHT
std::array<Layer, 2> layers;
#else
std::vector<Layer> layers(2);
#endif
auto g = ad::grad<0>(f)(layers, ad::tensor<double, 3>{});  // <- here
int main() {}
