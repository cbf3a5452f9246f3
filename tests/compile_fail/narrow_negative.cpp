// SPDX-License-Identifier: MIT
// Starts and lengths are not negative.
// expect: narrow<axis, start, length>: start and length are not negative
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::narrow<0, 1, 2>(x));
#else
    return sum(ad::narrow<0, -1, 2>(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
