// SPDX-License-Identifier: MIT
// A function that is not called is no value and gradient.
// expect: a_function_is_called_first
#include <tapeless/tapeless.hpp>

#include <vector>
namespace ad = tapeless;
auto f = [](auto x) { return sum(x * x); };
int main() {
    std::vector<double> x{1, 2, 3};
#ifdef RIGHT
    auto [value, grad] = ad::value_and_grad(f)(x);
#else
    auto [value, grad] = ad::value_and_grad(f);  // <- here
#endif
    return value > 0 && grad.size() > 0;
}
