// SPDX-License-Identifier: MIT
// dot is of two vectors of one length.
// expect: dot_of_other_shapes<tapeless::shape<4>, tapeless::shape<5>
// expect: two vectors of one length
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto b) {
#ifdef RIGHT
    return dot(a, ad::narrow<0, 0, 4>(b));
#else
    return dot(a, b);  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 4>{}, ad::tensor<double, 5>{});
int main() {}
