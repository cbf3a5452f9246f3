// SPDX-License-Identifier: MIT
// Class indices have the shape of the scores without the class axis.
// expect: class_targets_do_not_fit
// expect: cross_entropy
// expect: shape<4, 3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto t, auto u) {
#ifdef RIGHT
    return ad::loss::cross_entropy(x, u) + sum(cast<float>(t));
#else
    return ad::loss::cross_entropy(x, t) + sum(cast<float>(u));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 3>{}, ad::tensor<int, 3>{}, ad::tensor<int, 4>{});
int main() {}
