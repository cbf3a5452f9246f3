// SPDX-License-Identifier: MIT
// A slope gets y, t and the arguments.
// expect: function_is_called_with_other_arguments
// expect: odeint f(y, t, args...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x, auto t) {
#ifdef RIGHT
    return sum(ad::odeint([](auto y, auto) { return -y; }, x, t));
#else
    return sum(ad::odeint([](auto y) { return -y; }, x, t));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 4>{}, ad::tensor<double, 3>{0, 1, 2});
int main() {}
