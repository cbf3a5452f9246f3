// SPDX-License-Identifier: MIT
// A number to which symbols are added.
// expect: symbol_is_added_to_a_number<double, double>
// expect: Start with a symbol: ad::symbol<double> s = 0.0
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    ad::symbol<double> s = 0.0;
    for (int i = 0; i < 3; ++i) s += x[i] * x[i];
    return s;
#else
    double s = 0;
    for (int i = 0; i < 3; ++i) s += x[i] * x[i];  // <- here
    return s * x[0];
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
