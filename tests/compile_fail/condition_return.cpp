// SPDX-License-Identifier: MIT
// A symbol in a condition, and results of different types behind it.
// expect: symbol_in_a_condition
// expect: cond(mask, f, g, args...)
// max-lines-GNU: 28 (six are what g++ says of the two types)
#include <tapeless/tapeless.hpp>
#include <vector>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return where(sum(x) > 0.0, sum(x * x), 2.0 * sum(x));
#else
    if (sum(x) > 0.0) return sum(x * x);  // <- here
    return 2.0 * sum(x);
#endif
};
auto g = ad::grad(f)(std::vector<double>{1, 2, 3});
int main() {}
