// SPDX-License-Identifier: MIT
// The four largest of three.
// expect: topk_beyond_the_axis
// expect: shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::topk<0, 2>(x).values);
#else
    return sum(ad::topk<0, 4>(x).values);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
