// SPDX-License-Identifier: MIT
// Both sides give results alike.
// expect: body_returns_something_else<tapeless::symbol<double, 5>, tapeless::symbol<double>
// expect: both functions of cond results alike
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto p) {
#ifdef RIGHT
    auto const other = [](auto v) { return sin(v); };
#else
    auto const other = [](auto v) { return sum(v); };
#endif
    return sum(ad::cond(p, [](auto v) { return exp(v); }, other, x));
};
auto g = ad::grad<0>(f)(ad::tensor<double, 5>{}, true);
int main() {}
