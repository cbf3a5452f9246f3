// SPDX-License-Identifier: MIT
// Axes and sizes are known when compiled.
// expect: axes_and_sizes_stand_in_angle_brackets
// expect: slice<axis, start, stop>(x)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::slice<0, 0, 2>(x));
#else
    return sum(ad::slice(x, 0, 2));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
