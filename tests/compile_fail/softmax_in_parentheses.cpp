// SPDX-License-Identifier: MIT
// Axes and sizes are known when compiled.
// expect: axes_and_sizes_stand_in_angle_brackets
// expect: softmax<1>(x)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(x * softmax<1>(x));
#else
    return sum(x * softmax(x, 1));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
