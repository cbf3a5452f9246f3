// SPDX-License-Identifier: MIT
// The derivatives of digamma are counted from 0.
// expect: polygamma_needs_a_whole_order_from_zero_to_thirty
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x) { return sum(ad::polygamma<0>(x)); };
#else
auto f = [](auto x) { return sum(ad::polygamma<-1>(x)); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<double, 4>{});
int main() {}
