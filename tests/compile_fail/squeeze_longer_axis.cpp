// SPDX-License-Identifier: MIT
// Only an axis of extent 1 can be dropped.
// expect: squeeze_of_a_longer_axis<
// expect: shape<3, 1>
// expect: only axes of extent 1
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::squeeze<1>(a));
#else
    return sum(ad::squeeze<0>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 1>{});
int main() {}
