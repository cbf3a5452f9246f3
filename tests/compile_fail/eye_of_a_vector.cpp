// SPDX-License-Identifier: MIT
// A unit matrix needs two axes.
// expect: array_has_too_few_axes
// expect: shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::eye_like(outer(x, x)));
#else
    return sum(ad::eye_like(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
