// SPDX-License-Identifier: MIT
// A matrix has no third axis to slide along.
// expect: axis_out_of_range<
// expect: shape<2, 4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::windows<1, 2>(a));
#else
    return sum(ad::windows<2, 2>(a));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 4>{});
int main() {}
