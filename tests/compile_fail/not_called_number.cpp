// SPDX-License-Identifier: MIT
// A gradient that is not called is no number.
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
    double v = ad::grad(f)(x)[0];
#else
    double v = ad::grad(f);  // <- here
#endif
    return v > 100;
}
