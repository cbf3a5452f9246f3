// SPDX-License-Identifier: MIT
// Windows of 3 columns do not fit into 2.
// expect: pooling_window_is_larger<
// expect: shape<2, 3, 4, 2>
// expect: padded input
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::max_pool2d<ad::pool{.size = {3, 2}}>(a));
#else
    return sum(ad::max_pool2d<ad::pool{.size = 3}>(a));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3, 4, 2>{});
int main() {}
