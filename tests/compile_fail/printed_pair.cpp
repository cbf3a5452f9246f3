// SPDX-License-Identifier: MIT
// A value and its gradient are printed as one.
// expect: value_and_derivative_are_two
// expect: auto [value, grad] = ad::value_and_grad(f)(x)
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
    std::cout << ad::value_and_grad(f)(x) << "\\n";  // <- here
#endif
}
