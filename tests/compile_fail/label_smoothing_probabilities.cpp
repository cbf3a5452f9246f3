// SPDX-License-Identifier: MIT
// label_smoothing is a fraction, of probabilities too.
// expect: label_smoothing_is_from_zero_to_one
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto t) { return ad::loss::cross_entropy(x, t, {.label_smoothing = 0.1}); };
#else
auto f = [](auto x, auto t) { return ad::loss::cross_entropy(x, t, {.label_smoothing = -0.1}); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 4, 8>{});
int main() {}
