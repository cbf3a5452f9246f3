// SPDX-License-Identifier: MIT
// As many equations as unknowns.
// expect: equation_is_not_like_the_unknown<tapeless::symbol<double, 5>, tapeless::symbol<double>
// expect: f(x, args...) gives back what is like x
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::root([](auto z, auto a) { return z * z - a; }, x, x));
#else
    return sum(ad::root([](auto z, auto a) { return sum(z * z - a); }, x, x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 5>{});
int main() {}
