// SPDX-License-Identifier: MIT
// A vector has the axis 0.
// expect: axis_out_of_range
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(cumsum<-1>(x));
#else
    return sum(cumsum<1>(x));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{});
int main() {}
