// SPDX-License-Identifier: MIT
// std::clamp of a symbol and numbers: no overload of ours is asked, so the standard library's candidates are listed, and
// g++ says that `sum` of what it does not know is not declared.
// expect: no matching function for call to
// max-lines-GNU: 31
#include <tapeless/tapeless.hpp>

#include <algorithm>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(clamp(x, 0.0, 1.0));
#else
    return sum(std::clamp(x, 0.0, 1.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
