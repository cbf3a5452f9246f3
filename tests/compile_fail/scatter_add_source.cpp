// SPDX-License-Identifier: MIT
// What is scattered has the shape of the indices: nothing is stretched.
// expect: scatter_add_shapes_differ
// expect: shape<2, 1>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto i, auto s) {
#ifdef RIGHT
    return sum(scatter_add<0>(x, i, s + gather<0>(x, i)));
#else
    return sum(scatter_add<0>(x, i, s));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<int, 2, 4>{}, ad::tensor<float, 2, 1>{});
int main() {}
