// SPDX-License-Identifier: MIT
// A wrong model does not compile, and the message names the operation and both shapes, at the line that is wrong.
// expect: matmul
// expect: shape<5, 3>
// expect: shape<4, 2>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto w) { return sum(matmul(x, w)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 5, 3>{}, ad::tensor<float, 3, 2>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 5, 3>{}, ad::tensor<float, 4, 2>{});
#endif
int main() {}
