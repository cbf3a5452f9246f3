// SPDX-License-Identifier: MIT
// A matrix is not an image with channels.
// expect: convolution_needs_other_ranks<
// expect: shape<8, 8>
// expect: (batch, channels, axes...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return sum(ad::conv2d(ad::unsqueeze<0>(a), b));
#else
    return sum(ad::conv2d(a, b));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 8, 8>{}, ad::tensor<float, 5, 1, 3, 3>{});
int main() {}
