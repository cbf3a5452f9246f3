// SPDX-License-Identifier: MIT
// A tensor is a constant beside a symbol, and nothing else is reported.
// expect: arrays_are_computed_with_in_functions
// expect: transpose(m + 0.0 * a[0])
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
    ad::tensor<double, 2, 2> m{{1, 2}, {3, 4}};
#ifdef RIGHT
    return sum(matmul(x, transpose(m + 0.0 * x[0])));
#else
    return sum(matmul(x, transpose(m)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 2>{1, 2});
int main() {}
