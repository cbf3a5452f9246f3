// SPDX-License-Identifier: MIT
// An axis is no argument.
// expect: axes_stand_in_angle_brackets
// expect: sum<0>(x)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum<0>(x);
#else
    return sum(x, 0);  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 4, 2>{});
int main() {}
