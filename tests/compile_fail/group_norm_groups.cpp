// SPDX-License-Identifier: MIT
// The channels divide into the groups.
// expect: channels_do_not_divide_into_groups
// expect: is no multiple of groups
// expect: shape<2, 6, 5>, 4
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x) { return sum(group_norm<3>(x)); };
#else
auto f = [](auto x) { return sum(group_norm<4>(x)); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 6, 5>{});
int main() {}
