// SPDX-License-Identifier: MIT
// The functions come first.
// expect: functions_come_first
// expect: while_loop(keep_going, step, init)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
    auto const keep_going = [](auto x) { return x < 3.0; };
    auto const step = [](auto x) { return 2.0 * x; };
#ifdef RIGHT
    return ad::while_loop(keep_going, step, a);
#else
    return ad::while_loop(a, keep_going, step);  // <- here
#endif
};
auto y = ad::evaluate(f, 2.0);
int main() {}
