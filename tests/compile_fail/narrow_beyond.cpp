// SPDX-License-Identifier: MIT
// An axis of 5 has three elements from the third on, not four.
// expect: narrow_beyond_the_axis<
// expect: shape<2, 5>
// expect: start + length
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::narrow<1, 2, 3>(a));
#else
    return sum(ad::narrow<1, 2, 4>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 5>{});
int main() {}
