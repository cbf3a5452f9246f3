// SPDX-License-Identifier: MIT
// An operand of einsum has one letter an axis.
// expect: einsum: an operand has another number of axes than letters
// expect: einsum_rank_differs<1, tapeless::shape<3, 4, 5>, 'j', 'k'>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) { return sum(einsum<"ij,jk->ik">(a, b)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3>{}, ad::tensor<float, 3, 4>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3>{}, ad::tensor<float, 3, 4, 5>{});
#endif
int main() {}
