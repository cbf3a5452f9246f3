// SPDX-License-Identifier: MIT
// One row of the source for each index.
// expect: shape<2>
// expect: shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::index_add<0>(x, ad::argsort(x), x));
#else
    return sum(ad::index_add<0>(x, ad::argsort(x), ad::slice<0, 0, 2>(x)));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
