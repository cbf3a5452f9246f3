// SPDX-License-Identifier: MIT
// smooth_l1's beta is not negative.
// expect: smooth_l1_needs_beta_of_zero_or_more
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto t) { return ad::loss::smooth_l1(x, t, 0); };
#else
auto f = [](auto x, auto t) { return ad::loss::smooth_l1(x, t, -1); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 4, 8>{});
int main() {}
