// SPDX-License-Identifier: MIT
// Three numbers are a triangle of two rows.
// expect: lower_triangle_of_another_length
// expect: shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::lower_triangle<2>(x));
#else
    return sum(ad::lower_triangle<3>(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
