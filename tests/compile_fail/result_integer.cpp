// SPDX-License-Identifier: MIT
// An integer result has no gradient.
// expect: grad needs a floating-point result
// expect: integer
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a, auto n) {
#ifdef RIGHT
    return std::tuple(sum(a), sum(n));
#else
    return std::tuple(sum(n), sum(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{}, ad::tensor<int, 3>{});
int main() {}
