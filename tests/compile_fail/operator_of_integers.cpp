// SPDX-License-Identifier: MIT
// x ^ 2 is no power.
// expect: operator_is_not_of_arrays<tapeless::symbol<double, 3>, int>
// expect: For ^ write pow(x, n) or square(x)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(pow(x, 2));
#else
    return sum(x ^ 2);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
