// SPDX-License-Identifier: MIT
// A target of another length than the argument, where both are known.
// expect: into_target_has_another_type
// expect: element types and shapes of its argument
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<double, 3> g, x;
ad::tensor<double, 4> longer;
auto step = ad::value_and_grad<0>([](auto x) { return sum(x); });
#ifdef RIGHT
auto v = step(ad::into(g), x);
#else
auto v = step(ad::into(longer), x);  // <- here
#endif
int main() {}
