// SPDX-License-Identifier: MIT
// 0.5 beside integers would be 0.
// expect: floating-point number beside integers
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return 0.5 * ad::cast<float>(x);
#else
    return 0.5 * x;
#endif
};
auto y = ad::evaluate(f, ad::tensor<int, 3>{});
int main() {}
