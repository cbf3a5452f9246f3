// SPDX-License-Identifier: MIT
// huber's delta is greater than 0.
// expect: huber_needs_delta_greater_than_zero
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto t) { return ad::loss::huber(x, t, 0.5); };
#else
auto f = [](auto x, auto t) { return ad::loss::huber(x, t, -2.0); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 4, 8>{});
int main() {}
