// SPDX-License-Identifier: MIT
// One axis for each argument.
// expect: vmap_needs_an_axis_for_each_argument
// expect: 1, 2>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<float, 4, 3> x, y;
#ifdef RIGHT
auto dots() { return ad::vmap<0, 0>([](auto a, auto b) { return dot(a, b); })(x, y); }
#else
auto dots() { return ad::vmap<0>([](auto a, auto b) { return dot(a, b); })(x, y); }
#endif
int main() {}
