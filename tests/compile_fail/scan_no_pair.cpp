// SPDX-License-Identifier: MIT
// A step of scan returns two things; fold is for those that return one.
// expect: scan_step_returns_no_pair
// expect: a step returns std::pair(next carry, what is stacked); where nothing is stacked, use fold
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto xs) {
    auto const step = [](auto c, auto x) { return c + x; };
#ifdef RIGHT
    return ad::fold(step, 0.0, xs);
#else
    auto const [last, sums] = ad::scan(step, 0.0, xs);
    return last + sum(sums);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 5>{});
int main() {}
