// SPDX-License-Identifier: MIT
// A loop that ends when a symbol says so.
// expect: symbol_in_a_condition
// expect: cond(mask, f, g, args...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    auto y = ad::let(x);
    for (int k = 0; k < 4; ++k) y = where(y < 1.0, 2.0 * y, y);
#else
    auto y = ad::let(x);
    while (y < 1.0) y = 2.0 * y;  // <- here
#endif
    return y;
};
auto g = ad::grad<0>(f)(0.5);
int main() {}
