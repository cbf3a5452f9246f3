// SPDX-License-Identifier: MIT
// Characters are no numbers: std::int8_t and std::uint8_t are.
// expect: elements_are_of_another_type
// expect: characters
#include <tapeless/tapeless.hpp>

#include <cstdint>
#include <vector>
namespace ad = tapeless;
auto f = [](auto x, auto n) { return sum(x * ad::cast<double>(n)); };
#ifdef RIGHT
std::vector<std::int8_t> n(3);
#else
std::vector<char> n(3);
#endif
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{}, n);  // <- here
int main() {}
