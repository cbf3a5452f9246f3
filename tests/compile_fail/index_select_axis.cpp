// SPDX-License-Identifier: MIT
// An array of rank 2 has the axes 0 and 1.
// expect: axis_out_of_range
// expect: the axis is out of range
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto i) {
#ifdef RIGHT
    return sum(index_select<-2>(x, i));
#else
    return sum(index_select<2>(x, i));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<int, 5>{});
int main() {}
