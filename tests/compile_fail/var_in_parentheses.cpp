// SPDX-License-Identifier: MIT
// An axis, or a correction, without brackets.
// expect: correction_stands_in_braces
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(std_dev<1>(x, {.correction = 0}));
#else
    return sum(std_dev(x, 1));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
