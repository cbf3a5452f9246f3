// SPDX-License-Identifier: MIT
// The function comes first.
// expect: functions_come_first
// expect: fold(f, init, xs...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto xs) {
    auto const step = [](auto c, auto x) { return c + x * x; };
#ifdef RIGHT
    return ad::fold(step, 0.0, xs);
#else
    return ad::fold(0.0, step, xs);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 5>{});
int main() {}
