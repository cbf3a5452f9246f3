// SPDX-License-Identifier: MIT
// A symbol for an array of any length that nothing was assigned to.
// expect: symbol_without_a_value_start_with_let
// own-line-within-Clang: 18
#include <tapeless/tapeless.hpp>
#include <vector>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    ad::symbol<double, ad::dyn> s = zeros_like(x);
#else
    ad::symbol<double, ad::dyn> s;
#endif
    s += x;  // <- here
    return sum(s);
};
auto g = ad::grad(f)(std::vector<double>{});
int main() {}
