// SPDX-License-Identifier: MIT
// With a stride, no padding keeps the extents.
// expect: padding `same` is for convolutions with stride 1
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return sum(ad::conv2d<ad::conv{.padding = ad::same}>(a, b));
#else
    return sum(ad::conv2d<ad::conv{.stride = 2, .padding = ad::same}>(a, b));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3, 8, 8>{}, ad::tensor<float, 5, 3, 3, 3>{});
int main() {}
