// SPDX-License-Identifier: MIT
// An error in a step is reported once.
// expect: no_such_function
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return ad::fold([](auto c, auto r) { return c + sum(r); }, 0.0 * x(0, 0), x);
#else
    return ad::fold([](auto c, auto r) { return c + no_such_function(r); }, 0.0 * x(0, 0), x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
