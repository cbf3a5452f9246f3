// SPDX-License-Identifier: MIT
// An array of rank 2 has the axes 0 and 1.
// expect: axis
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(sum<1>(a));
#else
    return sum(sum<2>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
