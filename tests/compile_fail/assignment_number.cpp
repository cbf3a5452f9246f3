// SPDX-License-Identifier: MIT
// A number is no array.
// expect: number_is_assigned_to_an_array
// expect: full_like(s, number)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto p) {
    auto s = ad::let(p);
#ifdef RIGHT
    s = ad::full_like(s, 1.0);
#else
    s = 1.0;  // <- here
#endif
    return sum(s * p);
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
