// SPDX-License-Identifier: MIT
// += on an expression.
// expect: assignment_to_an_expression
// expect: ad::let
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    auto s = ad::let(square(x));
#else
    auto s = square(x);
#endif
    for (int k = 1; k < 4; ++k) s += x;  // <- here
    return sum(s);
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
