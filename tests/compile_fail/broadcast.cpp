// SPDX-License-Identifier: MIT
// expect: broadcast
// expect: shape<3, 4>
// expect: shape<5>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) { return sum(a + b); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<float, 4>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<float, 5>{});
#endif
int main() {}
