// SPDX-License-Identifier: MIT
// Axes and sizes are known when compiled.
// expect: axes_and_sizes_stand_in_angle_brackets
// expect: swap_axes<0, 1>(x)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(square(ad::swap_axes<0, 1>(x)));
#else
    return sum(square(transpose(x, 0, 1)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
