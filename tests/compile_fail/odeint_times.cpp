// SPDX-License-Identifier: MIT
// Times are a sequence of numbers, like y.
// expect: times_are_not_a_sequence_like_y<tapeless::symbol<double>, tapeless::symbol<double, 2>
// expect: the times are along one axis, and of the type of y
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto y, auto t) {
#ifdef RIGHT
    return sum(ad::odeint([](auto z, auto) { return -z; }, y, t));
#else
    return sum(ad::odeint([](auto z, auto) { return -z; }, y, sum(t)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 2>{}, ad::tensor<double, 3>{});
int main() {}
