// SPDX-License-Identifier: MIT
// A text beside a symbol: neither can be printed while compiling, and one error says so.
// expect: operator<<
#include <tapeless/tapeless.hpp>

#include <iostream>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(x);
#else
    std::cout << "x = " << x << "\n";  // <- here
    return sum(x);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
