// SPDX-License-Identifier: MIT
// What a pool does is said by name.
// expect: options_stand_in_braces
// expect: max_pool2d<ad::pool{.size = 2}>(x)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::max_pool2d<ad::pool{.size = 2}>(x));
#else
    return sum(ad::max_pool2d<2, 2>(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 1, 1, 8, 8>{});
int main() {}
