// SPDX-License-Identifier: MIT
// dot takes two vectors.
// expect: dot_of_other_shapes
// expect: dot(a, b) is of two vectors of one length
// expect: shape<3, 4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) { return dot(a, b); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 4>{}, ad::tensor<float, 4>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<float, 3, 4>{});
#endif
int main() {}
