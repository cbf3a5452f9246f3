// SPDX-License-Identifier: MIT
// std:: before a mathematical function.
// expect: symbol_is_no_number
// expect: leave out std::
#include <tapeless/tapeless.hpp>

#include <cmath>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(exp(x));
#else
    return sum(std::exp(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
