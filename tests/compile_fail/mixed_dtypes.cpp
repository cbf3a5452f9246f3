// SPDX-License-Identifier: MIT
// float and double do not mix silently: the message names the way to convert.
// expect: cast<
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return sum(ad::cast<double>(a) + b);
#else
    return sum(a + b);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{}, ad::tensor<double, 3>{});
int main() {}
