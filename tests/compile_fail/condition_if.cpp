// SPDX-License-Identifier: MIT
// A branch on a symbol.
// expect: symbol_in_a_condition
// expect: where(mask, a, b)
// expect: cond(mask, f, g, args...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return where(x > 0.0, x, square(x));
#else
    auto y = ad::let(square(x));
    if (x > 0.0) y = x;  // <- here
    return y;
#endif
};
auto g = ad::grad<0>(f)(0.5);
int main() {}
