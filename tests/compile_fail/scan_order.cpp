// SPDX-License-Identifier: MIT
// The function comes first.
// expect: functions_come_first
// expect: scan(f, init, xs...)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto xs) {
    auto const step = [](auto c, auto x) { return std::pair(c + x, c); };
#ifdef RIGHT
    auto const [last, all] = ad::scan(step, 0.0, xs);
#else
    auto const [last, all] = ad::scan(xs, step, 0.0);  // <- here
#endif
    return last + sum(all);
};
auto g = ad::grad<0>(f)(ad::tensor<double, 5>{});
int main() {}
