// SPDX-License-Identifier: MIT
// An index is a whole number.
// expect: index_is_no_single_integer
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return x[1];
#else
    return x[1.0];  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
