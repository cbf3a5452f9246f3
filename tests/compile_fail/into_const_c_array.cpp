// SPDX-License-Identifier: MIT
// Nothing is written to a C array that is const.
// expect: into_something_const
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    double x[3] = {1, 2, 3};
#ifdef RIGHT
    double g[3];
#else
    double const g[3] = {};
#endif
    ad::value_and_grad<0>([](auto v) { return sum(v * v); })(ad::into(g), x);
}
