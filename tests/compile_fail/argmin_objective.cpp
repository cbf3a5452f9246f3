// SPDX-License-Identifier: MIT
// What is made smallest is one number.
// own-line-within-Clang: 28
// expect: objective_is_no_number<tapeless::symbol<double, 5>
// expect: argmin: f(x, args...) is one floating-point number
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::argmin([](auto z, auto a) { return sum(square(z - a)); }, x, x));
#else
    return sum(ad::argmin([](auto z, auto a) { return square(z - a); }, x, x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 5>{});
int main() {}
