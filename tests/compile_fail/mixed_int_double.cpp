// SPDX-License-Identifier: MIT
// An integer array beside a floating-point one.
// expect: element_types_differ<tapeless::mul_op, double, int>
// expect: cast<T>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto n) {
#ifdef RIGHT
    return sum(x * ad::cast<double>(n));
#else
    return sum(x * n);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{}, ad::tensor<int, 3>{});
int main() {}
