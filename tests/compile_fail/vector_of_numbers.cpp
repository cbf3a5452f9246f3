// SPDX-License-Identifier: MIT
// An expression is added to a vector of numbers.
// expect: symbol_is_no_number
// expect: std::array<ad::symbol<double>, 3>
#include <tapeless/tapeless.hpp>
#include <vector>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    std::vector<ad::symbol<double>> y;
#else
    std::vector<double> y;
#endif
    y.push_back(x[0] * 2.0);  // <- here
    return y[0] * x[1];
};
auto g = ad::grad(f)(ad::tensor<double, 3>{});
int main() {}
