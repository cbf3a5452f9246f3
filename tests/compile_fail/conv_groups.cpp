// SPDX-License-Identifier: MIT
// Six outputs do not part into four groups.
// expect: convolution_channels_differ<
// expect: groups
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return sum(ad::conv2d<ad::conv{.groups = 2}>(ad::slice<1, 0, 2>(a), b));
#else
    return sum(ad::conv2d<ad::conv{.groups = 4}>(a, b));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 4, 8, 8>{}, ad::tensor<float, 6, 1, 3, 3>{});
int main() {}
