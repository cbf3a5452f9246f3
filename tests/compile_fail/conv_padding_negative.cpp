// SPDX-License-Identifier: MIT
// Padding is not negative.
// expect: conv: not a negative number of zeros
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x, auto w) {
#ifdef RIGHT
    return sum(ad::conv2d<ad::conv{.padding = 1}>(x, w));
#else
    return sum(ad::conv2d<ad::conv{.padding = -1}>(x, w));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 2, 4, 8, 8>{}, ad::tensor<double, 5, 4, 3, 3>{});
int main() {}
