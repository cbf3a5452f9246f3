// SPDX-License-Identifier: MIT
// Matrices that are factorised hold floating-point numbers.
// expect: needs_floating_point
// expect: this function is of floating-point arrays
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x, auto i) {
#ifdef RIGHT
    return sum(x) + ad::linalg::det(ad::cast<double>(i));
#else
    return sum(x) + ad::cast<double>(ad::linalg::det(i));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 4>{}, ad::tensor<int, 3, 3>{});
int main() {}
