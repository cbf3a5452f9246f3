// SPDX-License-Identifier: MIT
// An equation gets the unknown and the arguments.
// expect: function_is_called_with_other_arguments
// expect: root, fixed_point, argmin and quad f(x, args...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return ad::root([](auto v, auto a) { return v * v - a; }, x, x);
#else
    return ad::root([](auto v) { return v * v - 2.0; }, x, x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(2.0);
int main() {}
