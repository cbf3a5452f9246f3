// SPDX-License-Identifier: MIT
// An error in a function of cond is reported once.
// expect: no_such
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return ad::cond(sum(x) > 0.0, [](auto a) { return sum(a); }, [](auto a) { return -sum(a); }, x);
#else
    return ad::cond(sum(x) > 0.0, [](auto a) { return no_such(a); }, [](auto a) { return sum(a); }, x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
