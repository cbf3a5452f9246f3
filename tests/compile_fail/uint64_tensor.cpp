// SPDX-License-Identifier: MIT
// Unsigned integers of 64 bits have no longer ones to be computed in.
// expect: elements_are_of_another_type
// expect: std::int64_t
#include <tapeless/tapeless.hpp>

#include <cstdint>
namespace ad = tapeless;
auto f = [](auto x, auto n) { return sum(x * ad::cast<double>(n)); };
#ifdef RIGHT
ad::tensor<std::uint32_t, 3> n;
#else
ad::tensor<std::uint64_t, 3> n;
#endif
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{}, n);  // <- here
int main() {}
