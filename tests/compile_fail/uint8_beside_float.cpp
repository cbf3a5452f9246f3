// SPDX-License-Identifier: MIT
// Elements of an image are integers: they are converted before they meet floating-point numbers.
// expect: element_types_differ
// expect: cast<T>
#include <tapeless/tapeless.hpp>

#include <cstdint>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto w, auto image) { return sum(w * ad::cast<float>(image)); };
#else
auto f = [](auto w, auto image) { return sum(w * image); };  // <- here
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{}, ad::tensor<std::uint8_t, 3>{});
int main() {}
