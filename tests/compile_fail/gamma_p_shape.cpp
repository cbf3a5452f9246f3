// SPDX-License-Identifier: MIT
// gamma_p has first derivatives by its shape, and no second ones.
// expect: gamma_p_has_no_second_derivative_by_its_shape
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto a, auto x) { return sum(ad::grad<1>([](auto b, auto y) { return sum(gamma_p(b, y)); })(a, x)); };
#else
auto f = [](auto a, auto x) { return sum(ad::grad<0>([](auto b, auto y) { return sum(gamma_p(b, y)); })(a, x)); };
#endif
auto g = ad::grad<0, 1>(f)(ad::tensor<double, 4>{}, ad::tensor<double, 4>{});
int main() {}
