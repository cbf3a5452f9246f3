// SPDX-License-Identifier: MIT
// einsum takes as many operands as the equation has.
// expect: einsum: the equation is for another number of operands
// expect: einsum_operands_differ<3, 2>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return einsum<"ij,jk,ki->">(a, b, a);
#else
    return einsum<"ij,jk,ki->">(a, b);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 3>{}, ad::tensor<float, 3, 3>{});
int main() {}
