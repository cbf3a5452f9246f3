// SPDX-License-Identifier: MIT
// A mask has no zeros.
// expect: constants_like_a_mask
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(zeros_like(x));
#else
    return sum(zeros_like(x > 0.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
