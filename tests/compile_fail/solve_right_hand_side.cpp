// SPDX-License-Identifier: MIT
// A right-hand side has as many rows as the matrix.
// expect: right_hand_side_does_not_fit
// expect: shape<3, 3>
// expect: shape<4, 2>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) { return sum(ad::linalg::solve(a, b)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 3>{}, ad::tensor<double, 3, 2>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 3>{}, ad::tensor<double, 4, 2>{});
#endif
int main() {}
