// SPDX-License-Identifier: MIT
// A symbol has no value that could be printed.
// expect: symbol_is_no_number
// expect: has no value while the function is traced
#include <tapeless/tapeless.hpp>

#include <iostream>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(x);
#else
    std::cout << x;  // <- here
    return sum(x);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
