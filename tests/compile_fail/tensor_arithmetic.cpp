// SPDX-License-Identifier: MIT
// Arrays outside a function are not computed with.
// expect: arrays_are_computed_with_in_functions
// expect: ad::evaluate
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<double, 3> x, z;
#ifdef RIGHT
ad::tensor<double, 3> y = ad::evaluate([](auto a, auto b) { return 2.0 * a + b; }, x, z);
#else
ad::tensor<double, 3> y = 2.0 * x;  // <- here
#endif
int main() {}
