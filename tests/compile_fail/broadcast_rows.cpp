// SPDX-License-Identifier: MIT
// Only an extent of 1 stretches.
// expect: broadcast
// expect: shape<3, 4>
// expect: shape<2, 4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) { return sum(a + b); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<float, 1, 4>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<float, 2, 4>{});
#endif
int main() {}
