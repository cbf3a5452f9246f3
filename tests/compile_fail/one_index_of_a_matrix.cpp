// SPDX-License-Identifier: MIT
// x[i] is an element where there is one axis.
// expect: several_indices_stand_in_parentheses
// expect: of others they are x(i, j)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    ad::tensor<double, 3, 4> x;
#ifdef RIGHT
    return x(0, 1) > 0.0;
#else
    return x[0] > 0.0;  // <- here
#endif
}
