// SPDX-License-Identifier: MIT
// Rows of 3 and rows of 4 cannot stand below one another.
// expect: concat_extents_differ<
// expect: shape<2, 3>
// expect: shape<2, 4>
// expect: different extents along another axis
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return sum(ad::concat<1>(a, b));
#else
    return sum(ad::concat<0>(a, b));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3>{}, ad::tensor<float, 2, 4>{});
int main() {}
