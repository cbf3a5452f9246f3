// SPDX-License-Identifier: MIT
// A trace is of a matrix.
// expect: diagonal_op<0>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return ad::linalg::trace(x);
#else
    return ad::linalg::trace(ad::select<0>(x, 0));  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 4, 4>{});
int main() {}
