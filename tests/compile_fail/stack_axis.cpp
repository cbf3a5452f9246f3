// SPDX-License-Identifier: MIT
// The new axis is one of the result's.
// expect: stack_axis_out_of_range<3, tapeless::shape<3>
// expect: has one more than the arrays
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return ad::stack<1>(a, b);
#else
    return ad::stack<3>(a, b);  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 3>{}, ad::tensor<double, 3>{});
int main() {}
