// SPDX-License-Identifier: MIT
// Three elements two apart reach over five.
// expect: window_is_longer_than_the_axis<
// expect: shape<2, 4>
// expect: (size - 1) dilation + 1
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::windows<1, 3>(a));
#else
    return sum(ad::windows<1, 3, 1, 2>(a));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 4>{});
int main() {}
