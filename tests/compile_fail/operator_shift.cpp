// SPDX-License-Identifier: MIT
// Numbers have no bits to move, on either side.
// expect: operator_is_not_of_arrays<
// expect: for << and >> products
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(x * 2.0);
#else
    return sum(x << 1);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
