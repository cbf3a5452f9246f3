// SPDX-License-Identifier: MIT
// An element is assigned to another: the result would be the array as it was.
// expect: assignment_to_an_element
// expect: arrays in a function do not change
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto p) {
#ifdef RIGHT
    auto s = ad::let(p[0]);
    s = p[1];
    s += 2.0;
    s = 3.0;
    return sum(p) + s;
#else
    p[0] = p[1];  // <- here
    return sum(p);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
