// SPDX-License-Identifier: MIT
// What is integrated is one number.
// expect: integrand_is_no_number<tapeless::symbol<double, 5>
// expect: quad: f(x, args...) is one number of the type of x
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return ad::quad([](auto x, auto k) { return sum(k * x); }, 0.0, 1.0, a);
#else
    return ad::quad([](auto x, auto k) { return k * x; }, 0.0, 1.0, a);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 5>{});
int main() {}
