// SPDX-License-Identifier: MIT
// Values beside a mask of another shape.
// expect: broadcast_extents_differ<tapeless::where_op, tapeless::shape<3, 2>, tapeless::shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto y) {
#ifdef RIGHT
    return sum(where(x > 0.0, x, ad::unsqueeze<-1>(y)));
#else
    return sum(where(x > 0.0, y, x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 2>{}, ad::tensor<double, 3>{});
int main() {}
