// SPDX-License-Identifier: MIT
// Statistics are one number a channel.
// expect: not_one_number_a_channel
// expect: x is [N, C, ...]; statistics, gain and bias are [C]
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x, auto m, auto v) {
#ifdef RIGHT
    return sum(ad::batch_norm(x, m, m) * x);
#else
    return sum(ad::batch_norm(x, m, v) * x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 2, 4, 8>{}, ad::tensor<double, 4>{}, ad::tensor<double, 3>{});
int main() {}
