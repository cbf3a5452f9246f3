// SPDX-License-Identifier: MIT
// Three numbers are not two.
// expect: unpack_of_another_length
// expect: shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    auto [a, b, c] = ad::unpack<3>(x); return a + b + c;
#else
    auto [a, b] = ad::unpack<2>(x); return a + b;  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
