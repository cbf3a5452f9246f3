// SPDX-License-Identifier: MIT
// A std::array of symbols is stacked one by one.
// expect: joined_are_arrays_one_by_one
#include <tapeless/tapeless.hpp>

#include <array>
#include <tuple>
namespace ad = tapeless;
auto f = [](auto x) {
    std::array parts{x[0], x[1]};
#ifdef RIGHT
    return sum(std::apply([](auto... p) { return stack(p...); }, parts)) + sum(stack(x[0], 1.0));
#else
    return sum(stack(parts));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
