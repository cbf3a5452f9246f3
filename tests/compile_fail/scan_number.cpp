// SPDX-License-Identifier: MIT
// A sequence has an axis.
// expect: scan_over_a_number
// expect: scan and fold go along the first axis of arrays
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return ad::fold([](auto c, auto y) { return c + y; }, 0.0 * sum(x), x);
#else
    return ad::fold([](auto c, auto y) { return c + y; }, 0.0 * sum(x), sum(x));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 4>{});
int main() {}
