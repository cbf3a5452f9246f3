// SPDX-License-Identifier: MIT
// What a convolution does is said by name.
// expect: options_stand_in_braces
// expect: conv2d<ad::conv{.stride = 2
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto w) {
#ifdef RIGHT
    return sum(ad::conv2d<ad::conv{.stride = 2}>(x, w));
#else
    return sum(ad::conv2d<2>(x, w));  // <- here
#endif
};
auto g = ad::grad<1>(f)(ad::tensor<float, 1, 1, 8, 8>{}, ad::tensor<float, 4, 1, 3, 3>{});
int main() {}
