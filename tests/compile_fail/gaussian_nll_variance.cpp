// SPDX-License-Identifier: MIT
// A variance lacks the last axis of the input, not the first.
// expect: variance_shape_differs
// expect: without the last axis
// expect: shape<4, 8>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto var) { return ad::loss::gaussian_nll(x, 0.0, var); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 4>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<float, 8>{});
#endif
int main() {}
