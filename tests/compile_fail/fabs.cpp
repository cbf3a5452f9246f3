// SPDX-License-Identifier: MIT
// C's name of abs.
// expect: symbol_is_no_number
// expect: abs for fabs
#include <tapeless/tapeless.hpp>

#include <cmath>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(abs(x));
#else
    return sum(fabs(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
