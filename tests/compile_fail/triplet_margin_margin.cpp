// SPDX-License-Identifier: MIT
// triplet_margin's margin is greater than 0.
// expect: triplet_margin_needs_margin_greater_than_zero
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto t) { return ad::loss::triplet_margin(x, t, 2.0 * t, {.margin = 0.1}); };
#else
auto f = [](auto x, auto t) { return ad::loss::triplet_margin(x, t, 2.0 * t, {.margin = 0}); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 4, 8>{});
int main() {}
