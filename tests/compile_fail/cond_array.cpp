// SPDX-License-Identifier: MIT
// A condition is one value.
// expect: condition_is_not_one_value
// expect: where(mask, a, b) chooses element by element
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    auto const condition = all(x > 0.0);
#else
    auto const condition = x > 0.0;
#endif
    return sum(ad::cond(condition, [](auto v) { return exp(v); }, [](auto v) { return sin(v); }, x));
};
auto g = ad::grad<0>(f)(ad::tensor<double, 5>{});
int main() {}
