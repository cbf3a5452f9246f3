// SPDX-License-Identifier: MIT
// keepdims among the axes.
// expect: keepdims stands after the array, not among the axes: sum<0>(x, keepdims)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(square(x - mean<0>(x, ad::keepdims)));
#else
    return sum(square(x - mean<0, ad::keepdims>(x)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
