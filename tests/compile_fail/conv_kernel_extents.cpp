// SPDX-License-Identifier: MIT
// How large a kernel is has to be known.
// expect: convolution_kernel_needs_static_extents<
// expect: known when compiled
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return sum(ad::conv1d(a, ad::slice<2, 0, 3>(b)));
#else
    return sum(ad::conv1d(a, ad::slice<2>(b, 0, 3)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3, 9>{}, ad::tensor<float, 5, 3, 7>{});
int main() {}
