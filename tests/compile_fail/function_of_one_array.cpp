// SPDX-License-Identifier: MIT
// A logarithm to another base is a multiple of this one.
// expect: function_of_one_array_is_called_with_more
// expect: log(x, b) is log(x) times a number
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(0.5 * log2(x));
#else
    return sum(log(x, 4.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
