// SPDX-License-Identifier: MIT
// An expression or a number behind a question mark.
// expect: symbol_in_a_condition
// expect: where(mask, a, b)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return where(x > 0.0, 2.0 * x, 0.0);
#else
    return x > 0.0 ? 2.0 * x : 0.0;  // <- here
#endif
};
auto g = ad::grad<0>(f)(0.5);
int main() {}
