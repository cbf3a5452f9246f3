// SPDX-License-Identifier: MIT
// A symbol is printed in a function that is evaluated.
// expect: a_symbol_has_no_value_while_it_is_traced_print_what_a_call_returns
#include <tapeless/tapeless.hpp>

#include <iostream>
#include <vector>
namespace ad = tapeless;
int main() {
    std::vector<double> x{1, 2, 3};
    auto f = [](auto x) {
        auto y = x * x;
#ifndef RIGHT
        std::cout << y;  // <- here
#endif
        return sum(y);
    };
    std::cout << ad::evaluate(f, x) << std::endl;
}
