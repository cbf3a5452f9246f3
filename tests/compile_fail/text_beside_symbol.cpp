// SPDX-License-Identifier: MIT
// A text beside a symbol, on either side.
// expect: array_beside_a_symbol_is_no_argument
// expect: texts have no arithmetic
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(1.0 + x);
#else
    return sum("1" + x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
