// SPDX-License-Identifier: MIT
// A constant of another length in a function whose second derivatives are asked for.
// expect: broadcast_extents_differ
// expect: two shapes differ on an axis where neither extent is 1
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(x * x * ad::tensor<double, 3>{1, 2, 3});
#else
    return sum(x * x * ad::tensor<double, 4>{1, 2, 3, 4});
#endif
};
auto h = ad::hessian(f)(ad::tensor<double, 3>{});
int main() {}
