// SPDX-License-Identifier: MIT
// A kernel of 5 rows does not fit into 4.
// expect: convolution_kernel_is_larger<
// expect: shape<2, 3, 4, 8>
// expect: padded input
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return sum(ad::conv2d<ad::conv{.padding = {1, 0}}>(a, b));
#else
    return sum(ad::conv2d(a, b));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3, 4, 8>{}, ad::tensor<float, 5, 3, 5, 3>{});
int main() {}
