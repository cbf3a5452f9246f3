// SPDX-License-Identifier: MIT
// std::isnan of a symbol would be one bool.
// expect: a symbol where a number is needed
// expect: leave out std::
#include <tapeless/tapeless.hpp>

#include <cmath>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(where(isnan(x), 0.0, x)) + sum(where(true, x, 0.0));
#else
    return sum(where(std::isnan(x), 0.0, x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
