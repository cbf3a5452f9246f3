// SPDX-License-Identifier: MIT
// Leading extents broadcast: equal, or one of them 1.
// expect: matmul_batch_extents_differ
// expect: leading extents differ
// expect: shape<2, 5, 3>
// expect: shape<4, 3, 2>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto w) { return sum(matmul(x, w)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 5, 3>{}, ad::tensor<float, 1, 3, 2>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 5, 3>{}, ad::tensor<float, 4, 3, 2>{});
#endif
int main() {}
