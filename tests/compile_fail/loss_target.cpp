// SPDX-License-Identifier: MIT
// A target of another shape is not stretched: (8, 1) against (8) would compare every output with every target.
// expect: target_shape_differs
// expect: the target has the shape of the input, or is one number
// expect: shape<8, 1>
// expect: shape<8>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto t) { return ad::loss::huber(x, t); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 8, 1>{}, ad::tensor<float, 8, 1>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 8, 1>{}, ad::tensor<float, 8>{});
#endif
int main() {}
