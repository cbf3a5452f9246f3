// SPDX-License-Identifier: MIT
// A loop of any number of steps has no gradient in reverse mode: nothing says how many carries are to be kept.
// expect: while_loop_without_a_bound_has_no_gradient_in_reverse_mode
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) { return ad::while_loop([](auto v) { return v < 10.0; }, [](auto v) { return v * v; }, x); };
#ifdef RIGHT
auto g = ad::jvp<0>(f)(2.0, 1.0);
#else
auto g = ad::grad<0>(f)(2.0);
#endif
int main() {}
