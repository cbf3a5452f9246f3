// SPDX-License-Identifier: MIT
// Arithmetic on a gradient that is not called.
// expect: function_is_not_called
// expect: auto g = ad::grad(f)(x)
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <iostream>
#include <vector>
namespace ad = tapeless;
auto f = [](auto x) { return sum(x * x); };
int main() {
    std::vector<double> x{1, 2, 3};
#ifdef RIGHT
    x[0] -= 0.1 * ad::grad(f)(x)[0];
#else
    x[0] -= 0.1 * ad::grad(f);  // <- here
#endif
}
