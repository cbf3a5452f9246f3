// SPDX-License-Identifier: MIT
// A symbol has no value that could be printed.
// expect: a_symbol_has_no_value_while_it_is_traced_print_what_a_call_returns
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
