// SPDX-License-Identifier: MIT
// outer takes two vectors.
// expect: operands_have_the_wrong_rank
// expect: outer of rank 1
// expect: shape<3, 4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) { return sum(outer(a, b)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{}, ad::tensor<float, 4>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<float, 4>{});
#endif
int main() {}
