// SPDX-License-Identifier: MIT
// A function that forgets to return.
// expect: result_is_no_expression
// expect: void
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(exp(x));
#else
    (void)sum(exp(x));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});  // <- here
int main() {}
