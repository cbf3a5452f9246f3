// SPDX-License-Identifier: MIT
// An axis that is not there is refused once, where it is named.
// expect: axis_out_of_range
// expect: 2, tapeless::shape<4, 2>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return ad::sort<1>(x).values;
#else
    return ad::sort<2>(x).values;  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 4, 2>{});
int main() {}
