// SPDX-License-Identifier: MIT
// A target of another element type.
// expect: into_target_has_another_type<tapeless::tensor<float, 3>, tapeless::tensor<double, 3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto length = [](auto x) { return sqrt(sum(square(x))); };
ad::tensor<double, 3> x;
#ifdef RIGHT
ad::tensor<double, 3> gradient;
#else
ad::tensor<float, 3> gradient;
#endif
auto v = ad::value_and_grad<0>(length)(ad::into(gradient), x);  // <- here
int main() {}
