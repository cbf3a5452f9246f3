// SPDX-License-Identifier: MIT
// The function is called on symbols, and not on arrays.
// expect: function_does_not_take_these_arguments
// expect: auto
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto const& x) { return sum(x); };
#else
auto f = [](ad::tensor<double, 3> const& x) { return x(0); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});  // <- here
int main() {}
