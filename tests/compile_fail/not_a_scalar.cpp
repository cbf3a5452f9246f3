// SPDX-License-Identifier: MIT
// expect: scalar
// expect: sum or mean
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return mean(square(a));
#else
    return square(a);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{});
int main() {}
