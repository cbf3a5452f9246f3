// SPDX-License-Identifier: MIT
// A layer whose weights belong to another input: named with the shapes that were written.
// expect: linear_extents_differ<tapeless::shape<5, 3>, tapeless::shape<2, 4>
// expect: linear(x, w)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto w, auto b) {
#ifdef RIGHT
    return sum(linear(x, ad::narrow<1, 0, 3>(w), b));
#else
    return sum(linear(x, w, b));  // <- here
#endif
};
auto g = ad::grad<1>(f)(ad::tensor<float, 5, 3>{}, ad::tensor<float, 2, 4>{}, ad::tensor<float, 2>{});
int main() {}
