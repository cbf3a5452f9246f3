// SPDX-License-Identifier: MIT
// A kernel for three channels, and images of four.
// expect: convolution_channels_differ<
// expect: shape<2, 4, 8, 8>
// expect: in / groups
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return sum(ad::conv2d(ad::slice<1, 0, 3>(a), b));
#else
    return sum(ad::conv2d(a, b));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 4, 8, 8>{}, ad::tensor<float, 5, 3, 3, 3>{});
int main() {}
