// SPDX-License-Identifier: MIT
// += on an expression.
// expect: assignment_to_an_expression
// expect: ad::let
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto y) {
#ifdef RIGHT
    auto total = ad::let(sum(x * y));
#else
    auto total = sum(x * y);
#endif
    total += sum(x);  // <- here
    return total;
};
auto v = ad::value_and_grad<0, 1>(f)(ad::tensor<double, 3>{}, ad::tensor<double, 3>{});
int main() {}
