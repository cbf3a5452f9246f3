// SPDX-License-Identifier: MIT
// An axis of 3 cannot become 4.
// expect: expand_extents_differ<
// expect: shape<3, 1>
// expect: 4, 2
// expect: neither 1 nor the one asked for
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::expand<3, 2>(a));
#else
    return sum(ad::expand<4, 2>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 1>{});
int main() {}
