// SPDX-License-Identifier: MIT
// std::min of a symbol and numbers.
// expect: standard_algorithm_on_a_symbol
// expect: minimum(
#include <tapeless/tapeless.hpp>

#include <algorithm>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(minimum(x, 2.0));
#else
    return sum(std::min(x, 2.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
