// SPDX-License-Identifier: MIT
// Every axis is named once.
// expect: not_a_permutation_of_the_axes
// expect: name every axis of the operand once
// expect: shape<2, 3, 4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(permute<0, 2, 1>(a));
#else
    return sum(permute<0, 2, 2>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3, 4>{});
int main() {}
