// SPDX-License-Identifier: MIT
// How many there are in a std::vector is not known when compiled.
// expect: joined_are_arrays_one_by_one
// expect: one by one: stack(a, b, c)
#include <vector>

#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(stack(x[0] * x[0], x[1] * x[1], x[2] * x[2]));
#else
    std::vector<decltype(x[0])> v;
    for (int i = 0; i < 3; ++i) v.push_back(ad::let(x[i] * x[i]));
    return sum(ad::stack(v));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
