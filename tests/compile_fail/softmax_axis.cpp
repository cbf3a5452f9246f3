// SPDX-License-Identifier: MIT
// The axis of a softmax is one of its argument's.
// expect: the axis is out of range
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto a) { return softmax<-2>(a); };
#else
auto f = [](auto a) { return softmax<2>(a); };
#endif
auto g = ad::evaluate(f, ad::tensor<float, 3, 4>{});
int main() {}
