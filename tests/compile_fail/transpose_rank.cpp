// SPDX-License-Identifier: MIT
// A vector has no two axes to exchange.
// expect: operands_have_the_wrong_rank
// expect: transpose of rank 2 or more
// expect: shape<4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) { return sum(transpose(a)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 4>{});
#endif
int main() {}
