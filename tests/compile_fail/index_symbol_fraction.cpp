// SPDX-License-Identifier: MIT
// An index that is computed is an integer.
// expect: index_is_no_single_integer
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return x[argmax(x)];
#else
    return x[sum(x)];  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
