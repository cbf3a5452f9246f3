// SPDX-License-Identifier: MIT
// attention takes a mask, then a bias.
// expect: attention(q, k, v, keep, bias): keep is a mask, bias holds numbers
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto q, auto keep, auto bias) {
#ifdef RIGHT
    return sum(ad::attention(q, q, q, keep, bias));
#else
    return sum(ad::attention(q, q, q, bias, keep));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{}, ad::tensor<bool, 3, 3>{}, ad::tensor<double, 3, 3>{});
int main() {}
