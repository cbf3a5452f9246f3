// SPDX-License-Identifier: MIT
// grad(f) is a function of the arguments.
// expect: grad_of_a_function_is_a_function
// expect: ad::grad(f)(x, y)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    auto f = [](auto x) { return sum(x * x); };
    ad::tensor<double, 3> x;
#ifdef RIGHT
    ad::tensor<double, 3> g = ad::grad(f)(x);
#else
    ad::tensor<double, 3> g = ad::grad(f, x);  // <- here
#endif
    return g(0) > 0.0;
}
