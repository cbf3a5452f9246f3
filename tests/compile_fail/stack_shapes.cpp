// SPDX-License-Identifier: MIT
// Arrays of two lengths are no rows of a matrix: stack is named, not what it is made of.
// expect: stack_shapes_differ<tapeless::shape<3>, tapeless::shape<4>
// expect: the arrays have one shape
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto rows = [](auto a, auto b) {
    auto const c = square(a);
#ifdef RIGHT
    return ad::stack<0>(c, ad::narrow<0, 0, 3>(b));
#else
    return ad::stack<0>(c, b);  // <- here
#endif
};
auto y = ad::evaluate(rows, ad::tensor<double, 3>{}, ad::tensor<double, 4>{});
int main() {}
