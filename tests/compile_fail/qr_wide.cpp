// SPDX-License-Identifier: MIT
// qr is of matrices with at least as many rows as columns.
// expect: matrix_is_wider_than_tall
// expect: at least as many rows as columns
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) { return sum(std::get<1>(ad::linalg::qr(a))); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 2>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<double, 2, 3>{});
#endif
int main() {}
