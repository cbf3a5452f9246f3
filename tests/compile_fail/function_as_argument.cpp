// SPDX-License-Identifier: MIT
// A function among the arguments.
// expect: not_an_array_or_a_tree_of_arrays
// expect: an argument is array-like
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
double twice(double x) { return 2 * x; }
auto f = [](auto x, auto y) { return x * y; };
#ifdef RIGHT
auto g = ad::grad<0>(f)(1.0, twice(3.0));
#else
auto g = ad::grad<0>(f)(1.0, twice);  // <- here
#endif
int main() {}
