// SPDX-License-Identifier: MIT
// There is no largest of no elements.
// expect: argmax and argmin need at least one element along the reduced axes
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto a) { return argmax<0>(a); };
#else
auto f = [](auto a) { return argmax<1>(a); };
#endif
auto g = ad::evaluate(f, ad::tensor<float, 3, 0>{});
int main() {}
