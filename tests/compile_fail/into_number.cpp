// SPDX-License-Identifier: MIT
// One target for two gradients.
// expect: into_targets_do_not_match
// expect: one target for each gradient
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto y) { return sum(x * y); };
auto step = ad::value_and_grad<0, 1>(f);
ad::tensor<double, 3> x, y, gx, gy;
#ifdef RIGHT
auto v = step(ad::into(gx, gy), x, y);
#else
auto v = step(ad::into(gx), x, y);  // <- here
#endif
int main() {}
