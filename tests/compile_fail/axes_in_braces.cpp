// SPDX-License-Identifier: MIT
// Several axes are no argument either.
// expect: axes_stand_in_angle_brackets
// expect: mean<0, 1>(x, keepdims)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return mean<0, 1>(x);
#else
    return mean(x, {0, 1});  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 4, 2>{});
int main() {}
