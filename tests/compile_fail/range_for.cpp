// SPDX-License-Identifier: MIT
// A symbol is no container.
// expect: symbol_is_no_container
// expect: ad::fold(step, start, x)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return ad::fold([](auto s, auto v) { return 0.5 * s + square(v); }, 0.0, x);
#else
    auto s = ad::let(0.0 * sum(x));
    for (auto v : x) s = ad::let(0.5 * s + square(v));  // <- here
    return s;
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
