// SPDX-License-Identifier: MIT
// The start and the length of narrow are known when compiled.
// expect: narrow_has_all_its_numbers_in_angle_brackets
// expect: slice<axis>(x, start, stop)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::narrow<0, 0, 2>(x));
#else
    return sum(ad::narrow<0>(x, 0, 2));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
