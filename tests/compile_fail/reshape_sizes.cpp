// SPDX-License-Identifier: MIT
// 12 elements are not 15.
// expect: reshape_sizes_differ<
// expect: shape<3, 4>
// expect: target_shape<5, 3>
// expect: different numbers of elements
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::reshape<6, 2>(a));
#else
    return sum(ad::reshape<5, 3>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
