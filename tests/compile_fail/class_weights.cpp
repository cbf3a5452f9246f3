// SPDX-License-Identifier: MIT
// Class weights are one number for each class.
// expect: class_weights_do_not_fit
// expect: shape<4, 3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto t, auto w) {
#ifdef RIGHT
    return ad::loss::cross_entropy(x, t, slice<0, 0, 3>(w));
#else
    return ad::loss::cross_entropy(x, t, w);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 3>{}, ad::tensor<int, 4>{}, ad::tensor<float, 4>{});
int main() {}
