// SPDX-License-Identifier: MIT
// There are no more axes to normalise over than the array has.
// expect: too_few_axes_to_normalize
// expect: no more than x has
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::layer_norm<2>(x) * x);
#else
    return sum(ad::layer_norm<3>(x) * x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
