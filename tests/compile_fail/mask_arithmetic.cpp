// SPDX-License-Identifier: MIT
// A mask is not a number: the message names the two ways to use it.
// expect: cast<T>(mask)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::cast<float>(x > 0) * x);
#else
    return sum((x > 0) * x);
#endif
};
auto y = ad::evaluate(f, ad::tensor<float, 3>{});
int main() {}
