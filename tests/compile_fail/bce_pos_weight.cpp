// SPDX-License-Identifier: MIT
// The weight of the positives is one for each column, and not one for each row.
// expect: weight_shape_differs
// expect: has the shape of the input, or stretches to it
// expect: shape<4, 8>
// expect: shape<4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto t, auto w) { return ad::loss::bce_with_logits(x, t, ad::loss::pos_weight(w)); };
using logits = ad::tensor<float, 4, 8>;
#ifdef RIGHT
auto g = ad::grad<0>(f)(logits{}, logits{}, ad::tensor<float, 8>{});
#else
auto g = ad::grad<0>(f)(logits{}, logits{}, ad::tensor<float, 4>{});
#endif
int main() {}
