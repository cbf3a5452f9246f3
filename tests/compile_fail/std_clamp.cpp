// SPDX-License-Identifier: MIT
// std::clamp of a symbol and numbers.
// expect: standard_algorithm_on_a_symbol
// expect: clamp(
#include <tapeless/tapeless.hpp>

#include <algorithm>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(clamp(x, 0.0, 2.0));
#else
    return sum(std::clamp(x, 0.0, 2.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
