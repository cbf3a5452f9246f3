// SPDX-License-Identifier: MIT
// A gradient that is not called is printed.
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
    std::cout << ad::value_and_grad(f)(x).value << "\\n";
#else
    std::cout << ad::value_and_grad(f) << "\\n";  // <- here
#endif
}
