// SPDX-License-Identifier: MIT
// There is no gradient by integers.
// expect: gradient_of_an_integer_argument
#include <tapeless/tapeless.hpp>

#include <cstdint>
namespace ad = tapeless;
auto f = [](auto w, auto image) { return sum(w * ad::cast<float>(image)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{}, ad::tensor<std::uint8_t, 3>{});
#else
auto g = ad::grad<1>(f)(ad::tensor<float, 3>{}, ad::tensor<std::uint8_t, 3>{});  // <- here
#endif
int main() {}
