// SPDX-License-Identifier: MIT
// std:: before a mathematical function that is also one of integers.
// expect: symbol_is_no_number
// expect: leave out std::
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdlib>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(abs(x));
#else
    return sum(std::abs(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
