// SPDX-License-Identifier: MIT
// A cotangent has the shape of the result; both shapes are in the message.
// expect: tangent_has_another_shape<tapeless::shape<2>, tapeless::shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) { return ad::sum<1>(x); };
#ifdef RIGHT
auto g = ad::vjp<0>(f)(ad::tensor<double, 2, 3>{}, ad::tensor<double, 2>{});
#else
auto g = ad::vjp<0>(f)(ad::tensor<double, 2, 3>{}, ad::tensor<double, 3>{});
#endif
int main() {}
