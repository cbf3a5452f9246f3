// SPDX-License-Identifier: MIT
// Iterators of a symbol.
// expect: symbol_is_no_container
// expect: ad::vmap(f)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(square(x));
#else
    auto const first = x.begin();  // <- here
    return sum(x) + (first ? 1.0 : 0.0);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
