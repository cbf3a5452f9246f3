// SPDX-License-Identifier: MIT
// A pointer does not say which function it is.
// expect: pass a function object such as a lambda
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
struct model {
    double loss(double x) const { return x * x; }
};
#ifdef RIGHT
auto g = ad::grad<0>([](auto x) { return square(x); })(0.5);
#else
auto g = ad::grad<0>(&model::loss)(0.5);  // <- here
#endif
int main() {}
