// SPDX-License-Identifier: MIT
// A bias of another length than the layer's.
// expect: linear_bias_differs<tapeless::shape<2, 3>, tapeless::shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto w, auto b) {
#ifdef RIGHT
    return sum(linear(x, w, ad::narrow<0, 0, 2>(b)));
#else
    return sum(linear(x, w, b));  // <- here
#endif
};
auto g = ad::grad<1>(f)(ad::tensor<float, 5, 3>{}, ad::tensor<float, 2, 3>{}, ad::tensor<float, 3>{});
int main() {}
