// SPDX-License-Identifier: MIT
// A target of another element type.
// expect: into_target_has_another_type<tapeless::tensor<float, 3>, tapeless::tensor<double, 3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto y) { return sum(x * y); };
auto step = ad::value_and_grad<0, 1>(f);
ad::tensor<double, 3> x, y, gx, gy;
ad::tensor<float, 3> narrow;
#ifdef RIGHT
auto v = step(ad::into(gx, gy), x, y);
#else
auto v = step(ad::into(gx, narrow), x, y);  // <- here
#endif
int main() {}
