// SPDX-License-Identifier: MIT
// An element is assigned to.
// expect: assignment_to_an_element
// expect: stack(a, b, ...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto p) {
#ifdef RIGHT
    auto const q = ad::stack(0.0 * p[1] + 1.0, p[1], p[2]);
    return sum(q);
#else
    p[0] = 1.0;  // <- here
    return sum(p);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
