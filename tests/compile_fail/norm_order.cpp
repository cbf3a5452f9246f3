// SPDX-License-Identifier: MIT
// A norm has p > 0.
// expect: norm_needs_p_greater_than_zero
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return norm(a, 0.5);
#else
    return norm(a, -1);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
