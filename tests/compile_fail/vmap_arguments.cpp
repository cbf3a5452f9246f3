// SPDX-License-Identifier: MIT
// The function of vmap gets an item of each argument.
// expect: function_is_called_with_other_arguments
// expect: vmap f(item of each argument...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::vmap([](auto r) { return 2.0 * r; })(x));
#else
    return sum(ad::vmap([](auto r, auto q) { return r * q; })(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
