// SPDX-License-Identifier: MIT
// Functions of symbols are not functions of arrays.
// expect: arrays_are_computed_with_in_functions
// expect: ad::evaluate
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<double, 3, 4> x;
#ifdef RIGHT
ad::tensor<double, 4> y = ad::evaluate([](auto a) { return sum<0>(a); }, x);
#else
ad::tensor<double, 4> y = sum<0>(x);  // <- here
#endif
int main() {}
