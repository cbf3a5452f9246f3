// SPDX-License-Identifier: MIT
// The function is called on symbols: its parameters are auto.
// expect: arrays_are_computed_with_in_functions
// expect: whose parameters are auto
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    ad::tensor<double, 3> x;
#ifdef RIGHT
    auto f = [](auto v) { return sum(v * v); };
#else
    auto f = [](ad::tensor<double, 3> v) { return sum(v * v); };
#endif
    auto g = ad::grad(f)(x);
    return g(0) > 0.0;
}
