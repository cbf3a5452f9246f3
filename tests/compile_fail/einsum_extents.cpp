// SPDX-License-Identifier: MIT
// A letter of einsum is one extent, wherever it stands; 1 is not stretched.
// expect: einsum: the letter stands for two different extents
// expect: einsum_extents_differ<'j', tapeless::shape<2, 3>, tapeless::shape<1, 5>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) { return sum(einsum<"ij,jk->ik">(a, b)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3>{}, ad::tensor<float, 3, 5>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3>{}, ad::tensor<float, 1, 5>{});
#endif
int main() {}
