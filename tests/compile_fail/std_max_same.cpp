// SPDX-License-Identifier: MIT
// std::max of two symbols.
// expect: maximum
#include <tapeless/tapeless.hpp>

#include <algorithm>
namespace ad = tapeless;
auto f = [](auto x, auto y) {
#ifdef RIGHT
    return sum(maximum(x, y));
#else
    return sum(std::max(x, y));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{}, ad::tensor<double, 3>{});
int main() {}
