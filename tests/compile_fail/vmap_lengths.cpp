// SPDX-License-Identifier: MIT
// Items stand along axes of the same length.
// expect: vmap_lengths_differ
// expect: 4, 5>
// expect: different lengths along the axes that are mapped
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<float, 4, 3> x;
#ifdef RIGHT
ad::tensor<float, 3, 4> y;
#else
ad::tensor<float, 3, 5> y;
#endif
auto dots() { return ad::vmap<0, 1>([](auto a, auto b) { return dot(a, b); })(x, y); }
int main() {}
