// SPDX-License-Identifier: MIT
// A step of while_loop gets the carry.
// expect: function_is_called_with_other_arguments
// expect: while_loop step(carry)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return ad::while_loop<5>([](auto c) { return c < 3.0; }, [](auto c) { return c + 1.0; }, x);
#else
    return ad::while_loop<5>([](auto c) { return c < 3.0; }, [](auto c, auto d) { return c + d; }, x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(2.0);
int main() {}
