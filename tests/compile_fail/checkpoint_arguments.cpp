// SPDX-License-Identifier: MIT
// The function of checkpoint gets the arguments.
// expect: function_is_called_with_other_arguments
// expect: cond and checkpoint f(args...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return ad::checkpoint([](auto a) { return sum(a); })(x);
#else
    return ad::checkpoint([](auto a, auto b) { return sum(a * b); })(x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
