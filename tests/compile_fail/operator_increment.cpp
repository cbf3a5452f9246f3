// SPDX-License-Identifier: MIT
// ++x: a symbol does not change, a name given by let does.
// expect: operator_is_not_of_arrays<
// expect: for ++ s += 1.0 of
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    auto s = ad::let(x);
    s += 1.0;
    return sum(s);
#else
    ++x;  // <- here
    return sum(x);
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
