// SPDX-License-Identifier: MIT
// dropout's p is a probability.
// expect: dropout_needs_p_from_zero_to_one
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto m) { return sum(ad::dropout(x, m, 1)); };
#else
auto f = [](auto x, auto m) { return sum(ad::dropout(x, m, 1.5)); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<bool, 4, 8>{});
int main() {}
