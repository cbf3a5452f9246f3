// SPDX-License-Identifier: MIT
// A target is not stretched: (4) against (4, 1) would be (4, 4).
// expect: target_shape_differs
// expect: shape<4, 1>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto t) {
#ifdef RIGHT
    return ad::loss::mse(squeeze<1>(x), t);
#else
    return ad::loss::mse(x, t);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 1>{}, ad::tensor<float, 4>{});
int main() {}
