// SPDX-License-Identifier: MIT
// The first argument of where is a mask.
// expect: where_needs_a_mask<double>
// expect: where: the first argument is a mask, such as x > 0
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return sum(where(x > 0.0, x, 0.0));
#else
    return sum(where(x, x, 0.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
