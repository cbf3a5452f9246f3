// SPDX-License-Identifier: MIT
// Symbols in an array of numbers.
// expect: symbol_is_no_number
// expect: std::array<ad::symbol<double>, 3>
#include <tapeless/tapeless.hpp>
#include <array>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    std::array<ad::symbol<double>, 3> y{x[0] * 2.0, x[1], 1.0};
#else
    std::array<double, 3> y{x[0] * 2.0, x[1], 1.0};  // <- here
#endif
    return y[0] * y[1] + y[2] * x[2];
};
auto g = ad::grad(f)(ad::tensor<double, 3>{});
int main() {}
