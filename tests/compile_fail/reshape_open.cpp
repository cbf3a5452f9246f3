// SPDX-License-Identifier: MIT
// Only one extent can be found from the others.
// expect: reshape_leaves_too_much_open<
// expect: shape<3, 4>
// expect: at most one extent may be left open
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(ad::reshape<2, -1>(a));
#else
    return sum(ad::reshape<-1, -1>(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
