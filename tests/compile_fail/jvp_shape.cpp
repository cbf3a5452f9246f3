// SPDX-License-Identifier: MIT
// A tangent has the shape of its argument; both shapes are in the message.
// expect: tangent_has_another_shape<tapeless::shape<3>, tapeless::shape<2>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) { return exp(x); };
#ifdef RIGHT
auto g = ad::jvp<0>(f)(ad::tensor<double, 3>{}, ad::tensor<double, 3>{});
#else
auto g = ad::jvp<0>(f)(ad::tensor<double, 3>{}, ad::tensor<double, 2>{});
#endif
int main() {}
