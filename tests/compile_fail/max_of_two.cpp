// SPDX-License-Identifier: MIT
// max reduces: of two operands the larger is maximum.
// expect: maximum_and_minimum_are_of_two
// expect: write maximum(a, b)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto y) {
#ifdef RIGHT
    return sum(maximum(x, y));
#else
    return sum(max(x, y));  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 4>{}, ad::tensor<double, 4>{});
int main() {}
