// SPDX-License-Identifier: MIT
// An array of 10000 numbers is no part of a program.
// expect: tensor_in_an_expression_is_too_large
// expect: 10000
// expect: 4096
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::tensor<double, 100, 3>{} * x);
#else
    return sum(ad::tensor<double, 10000, 1>{} * x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
