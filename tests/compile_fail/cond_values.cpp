// SPDX-License-Identifier: MIT
// cond calls functions, where chooses values.
// expect: cond_chooses_between_functions
// expect: between values chooses where(mask, a, b)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return ad::cond(x > 0, [](auto y) { return y; }, [](auto y) { return -y; }, x);
#else
    return ad::cond(x > 0, x, -x);  // <- here
#endif
};
auto y = ad::evaluate(f, 1.0);
int main() {}
