// SPDX-License-Identifier: MIT
// Unknowns are floating-point numbers.
// expect: unknowns_are_not_of_one_floating_type<tapeless::symbol<int, 5>
// expect: the unknowns are all float, or all double
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto n, auto x) {
#ifdef RIGHT
    return sum(ad::root([](auto z, auto a) { return z * z - a; }, cast<double>(n), x));
#else
    return sum(cast<double>(ad::root([](auto z, auto a) { return z * z - a; }, n, x)));  // <- here
#endif
};
auto g = ad::grad<1>(f)(ad::tensor<int, 5>{}, ad::tensor<double, 5>{});
int main() {}
