// SPDX-License-Identifier: MIT
// multi_margin has margins to the first or the second power.
// expect: multi_margin_needs_p_of_1_or_2
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto t) { return ad::loss::multi_margin(x, t, {.p = 2}); };
#else
auto f = [](auto x, auto t) { return ad::loss::multi_margin(x, t, {.p = 3}); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<int, 4>{});
int main() {}
