// SPDX-License-Identifier: MIT
// A target is an array, not its address.
// expect: pointer_has_no_length
// expect: a pointer does not say how long its array is
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<double, 3> g, x;
auto step = ad::value_and_grad<0>([](auto x) { return sum(x); });
#ifdef RIGHT
auto v = step(ad::into(g), x);
#else
auto v = step(ad::into(&g), x);  // <- here
#endif
int main() {}
