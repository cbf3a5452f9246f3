// SPDX-License-Identifier: MIT
// A step gives back a carry of the shape that it got.
// expect: body_returns_something_else<tapeless::symbol<double, 3>, tapeless::symbol<double>
// expect: a step of scan, fold and while_loop gives back carries like those it got
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto start, auto xs) {
#ifdef RIGHT
    auto const step = [](auto c, auto x) { return std::pair(c * x, sum(c)); };
#else
    auto const step = [](auto c, auto x) { return std::pair(sum(c * x), sum(c)); };
#endif
    auto const [last, sums] = ad::scan(step, start, xs);
    return sum(last) * sum(sums);
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{}, ad::tensor<double, 5, 3>{});
int main() {}
