// SPDX-License-Identifier: MIT
// A number is an element of a vector, not a row.
// expect: number_is_joined_to_vectors
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(concat<0>(x, full_like(narrow<0, 0, 1>(x), 1.0))) + sum(concat<0>(0.0, x[0]));
#else
    return sum(concat<0>(x, 1.0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{});
int main() {}
