// SPDX-License-Identifier: MIT
// A cross product of vectors of three numbers.
// expect: cross_needs_three_numbers
// expect: shape<2>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(cross(x, ad::tensor<double, 3>{1, 2, 3} * x));
#else
    return sum(cross(x, ad::slice<0, 0, 2>(x)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
