// SPDX-License-Identifier: MIT
// What cannot be called is not explained either.
// expect: broadcast_extents_differ
#include <tapeless/tapeless.hpp>

#include <iostream>
namespace ad = tapeless;
auto f = [](auto x, auto y) {
#ifdef RIGHT
    return sum(x) + sum(y);
#else
    return sum(x + y);  // <- here
#endif
};
int main() { std::cout << ad::explain(ad::grad(f), ad::tensor<double, 3>{}, ad::tensor<double, 4>{}); }
