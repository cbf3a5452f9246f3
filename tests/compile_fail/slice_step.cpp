// SPDX-License-Identifier: MIT
// A step of 0 goes nowhere.
// expect: slice_step_is_zero<
// expect: shape<3, 4>
// expect: the step is 0
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::slice<0, 0, 3, 1>(a));
#else
    return sum(ad::slice<0, 0, 3, 0>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
