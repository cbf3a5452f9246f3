// SPDX-License-Identifier: MIT
// The function comes first.
// expect: functions_come_first
// expect: root(f, guess, args...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
    auto const equation = [](auto x, auto b) { return x * x - b; };
#ifdef RIGHT
    return ad::root(equation, 1.0, a);
#else
    return ad::root(1.0, equation, a);  // <- here
#endif
};
auto g = ad::grad<0>(f)(2.0);
int main() {}
