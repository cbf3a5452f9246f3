// SPDX-License-Identifier: MIT
// An expression does not become another one: its operations would be lost.
// expect: expression_becomes_another
// expect: declare it auto
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    auto y = x + x;
#else
    decltype(x * x) y = x + x;
#endif
    return sum(y);
};
int main() {
    ad::tensor<double, 3> x;
    auto g = ad::grad(f)(x);  // <- here: g++ names the call
    return g(0) > 0.0;
}
