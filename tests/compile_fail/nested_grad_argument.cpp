// SPDX-License-Identifier: MIT
// A gradient inside a function, by an argument that is not there.
// expect: no_such_argument
// expect: there is no argument with this index
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::grad<0>([](auto y) { return sum(y * y); })(x));
#else
    return sum(ad::grad<1>([](auto y) { return sum(y * y); })(x));  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 4>{});
int main() {}
