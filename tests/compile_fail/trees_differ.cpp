// SPDX-License-Identifier: MIT
// Two trees that go side by side have the same parts.
// expect: trees_are_not_alike
#include <tapeless/tapeless.hpp>

#include <tuple>
namespace ad = tapeless;
std::tuple<double, double> a(1, 2);
#ifdef RIGHT
std::tuple<double, double> b(1, 2);
#else
std::tuple<double, double, double> b(1, 2, 3);
#endif
double d = ad::dot(a, b);  // <- here
int main() {}
