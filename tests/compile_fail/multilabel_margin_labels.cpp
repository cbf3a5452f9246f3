// SPDX-License-Identifier: MIT
// Labels are class indices in an array of the shape of the scores, filled up with -1: not one class for each row.
// expect: labels_do_not_fit
// expect: labels have the shape of the input
// expect: shape<4, 8>
// expect: shape<4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto labels) { return ad::loss::multilabel_margin(x, labels); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<int, 4, 8>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 8>{}, ad::tensor<int, 4>{});
#endif
int main() {}
