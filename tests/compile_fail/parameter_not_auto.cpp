// SPDX-License-Identifier: MIT
// The function is called on symbols.
// expect: parameter_is_not_auto
// expect: parameters are auto
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto y) { return x * y; };
#else
auto f = [](double x, double y) { return x * y; };
#endif
auto g = ad::grad<0>(f)(0.5, 2.0);  // <- here
int main() {}
