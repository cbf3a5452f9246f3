// SPDX-License-Identifier: MIT
// A gain has the extents of the axes that layer_norm works over; one of extent 1 is not stretched.
// expect: gain_differs_from_normalized_axes
// expect: the extents of the trailing axes
// expect: shape<4, 8>
// expect: shape<1>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto gain) { return sum(layer_norm(x, gain)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 8>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 1>{});
#endif
int main() {}
