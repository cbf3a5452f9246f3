// SPDX-License-Identifier: MIT
// An array is repeated some times.
// expect: tile<times...>: not a negative number of times
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::tile<2, 1>(x));
#else
    return sum(ad::tile<-1, 1>(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
