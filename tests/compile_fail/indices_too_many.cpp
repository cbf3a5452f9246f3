// SPDX-License-Identifier: MIT
// Two indices for a vector.
// expect: too_many_indices
// expect: shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return x(0);
#else
    return x(0, 1);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
