// SPDX-License-Identifier: MIT
// An element of a gradient that is not called.
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
    std::cout << ad::grad(f)(x)[0];
#else
    std::cout << ad::grad(f)[0];  // <- here
#endif
}
