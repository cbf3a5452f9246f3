// SPDX-License-Identifier: MIT
// An array of rank 2 has no axis 2.
// expect: axis_out_of_range<
// expect: shape<3, 4>
// expect: slice
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::slice<1, 0, 2>(a));
#else
    return sum(ad::slice<2, 0, 2>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
