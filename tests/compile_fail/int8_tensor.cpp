// SPDX-License-Identifier: MIT
// Integers of 8 bits are stored in files, and are no arguments.
// expect: elements_are_of_another_type
// expect: std::int32_t
#include <tapeless/tapeless.hpp>

#include <cstdint>
namespace ad = tapeless;
auto f = [](auto x, auto n) { return sum(x * ad::cast<double>(n)); };
#ifdef RIGHT
ad::tensor<std::int32_t, 3> n;
#else
ad::tensor<std::int8_t, 3> n;
#endif
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{}, n);  // <- here
int main() {}
