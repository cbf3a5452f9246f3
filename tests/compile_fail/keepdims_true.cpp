// SPDX-License-Identifier: MIT
// NumPy's keepdims=True.
// expect: keepdims is that word, not true
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(square(x - mean<1>(x, ad::keepdims)));
#else
    return sum(square(x - mean<1>(x, true)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
