// SPDX-License-Identifier: MIT
// An array of another library beside a symbol: it is an argument, or a tensor.
// expect: array_beside_a_symbol_is_no_argument
// expect: Other arrays are arguments of the function
#include <tapeless/tapeless.hpp>

#include <array>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(x * ad::tensor<double, 3>{1, 2, 3});
#else
    return sum(x * std::array<double, 3>{1, 2, 3});  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
