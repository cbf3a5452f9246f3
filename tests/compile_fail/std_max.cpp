// SPDX-License-Identifier: MIT
// std::max of a symbol and a number: no overload of ours is asked, so the standard library's candidates are listed.
// expect: no matching function for call to
// max-lines-GNU: 46
#include <tapeless/tapeless.hpp>

#include <algorithm>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(maximum(x, 0.0));
#else
    return sum(std::max(x, 0.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
