// SPDX-License-Identifier: MIT
// Axes and sizes are known when compiled.
// expect: axes_and_sizes_stand_in_angle_brackets
// expect: concat<axis>(x, y)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(square(ad::concat<0>(x, x)));
#else
    return sum(square(ad::concat(x, x)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
