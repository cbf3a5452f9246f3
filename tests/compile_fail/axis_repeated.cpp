// SPDX-License-Identifier: MIT
// An axis is reduced once.
// expect: repeated
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum<0, 1>(a);
#else
    return sum(sum<0, 0>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
