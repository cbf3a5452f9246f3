// SPDX-License-Identifier: MIT
// A step gets the carry and an item of each sequence.
// expect: function_is_called_with_other_arguments
// expect: scan and fold call step(carry, item of each sequence...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return ad::fold([](auto c, auto r) { return c + sum(r); }, 0.0 * x(0, 0), x);
#else
    return ad::fold([](auto c) { return 2.0 * c; }, 0.0 * x(0, 0), x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
