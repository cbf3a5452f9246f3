// SPDX-License-Identifier: MIT
// A product with nothing.
// expect: hvp_needs_a_direction
// expect: then the direction v
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<double, 3> x, v;
auto f = [](auto x) { return sum(x * x * x); };
#ifdef RIGHT
auto h = ad::hvp<0>(f)(x, v);
#else
auto h = ad::hvp<0>(f)(x);  // <- here
#endif
int main() {}
