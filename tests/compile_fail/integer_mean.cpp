// SPDX-License-Identifier: MIT
// The mean of integers would be rounded.
// expect: mean(cast<float>(x))
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return mean(ad::cast<float>(x));
#else
    return mean(x);
#endif
};
auto y = ad::evaluate(f, ad::tensor<int, 3>{});
int main() {}
