// SPDX-License-Identifier: MIT
// Logic is for masks: a number is compared first.
// expect: x != 0
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return x > 2 || x == 0;
#else
    return x > 2 || x;
#endif
};
auto y = ad::evaluate(f, ad::tensor<int, 3>{});
int main() {}
