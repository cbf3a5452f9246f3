// SPDX-License-Identifier: MIT
// A variance that is a number is not negative.
// expect: gaussian_nll_needs_a_variance_of_zero_or_more
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto t) { return ad::loss::gaussian_nll(x, t, 0.5); };
#else
auto f = [](auto x, auto t) { return ad::loss::gaussian_nll(x, t, -0.5); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 4, 8>{});
int main() {}
