// SPDX-License-Identifier: MIT
// The window's axis would be the ninth.
// expect: windows_need_one_more_axis<
// expect: ninth
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::windows<6, 2>(ad::squeeze<0>(a)));
#else
    return sum(ad::windows<7, 2>(a));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 1, 1, 1, 1, 1, 1, 2, 4>{});
int main() {}
