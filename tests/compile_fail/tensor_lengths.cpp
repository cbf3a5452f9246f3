// SPDX-License-Identifier: MIT
// A tensor takes a length for each extent that is not a number.
// expect: takes_one_length_for_each_run_time_extent
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
ad::tensor<double, ad::dyn, 2, ad::dyn> x(3, 4);
#else
ad::tensor<double, ad::dyn, 2, ad::dyn> x(3);  // <- here
#endif
int main() {}
