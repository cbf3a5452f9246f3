// SPDX-License-Identifier: MIT
// A variable of a symbol's that is not auto.
// expect: symbol_is_no_number
// expect: variables are auto
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    auto s = sum(x);
#else
    double s = sum(x);  // <- here
#endif
    return s * sum(x);
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
