// SPDX-License-Identifier: MIT
// A vector has no channels.
// expect: pooling_needs_another_rank<
// expect: shape<8>
// expect: (batch, channels, axes...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::avg_pool1d<ad::pool{.size = 2}>(ad::unsqueeze<0>(a)));
#else
    return sum(ad::avg_pool1d<ad::pool{.size = 2}>(a));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 8>{});
int main() {}
