// SPDX-License-Identifier: MIT
// Numbers in the place of the mask, and two more: one error.
// expect: where: the first argument is a mask, such as x > 0
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(where(x > 0.0, x, 0.0));
#else
    return sum(where(x, 1.0, 0.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
