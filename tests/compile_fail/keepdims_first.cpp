// SPDX-License-Identifier: MIT
// keepdims stands after the array.
// expect: keepdims_stands_after_the_array
// expect: sum<0>(x, keepdims)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(sum<0>(x, ad::keepdims));
#else
    return sum(sum<0>(ad::keepdims, x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 2>{});
int main() {}
