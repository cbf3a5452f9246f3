// SPDX-License-Identifier: MIT
// A matrix is padded by four numbers.
// expect: pad_needs_two_numbers_for_each_axis<
// expect: shape<3, 4>
// expect: two numbers for each axis
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::pad<1, 1, 0, 0>(a));
#else
    return sum(ad::pad<1, 1>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
