// SPDX-License-Identifier: MIT
// Only square matrices have a Cholesky factor, an inverse, a determinant.
// expect: cholesky_op
// expect: the matrix is not square
// expect: shape<2, 3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) { return sum(ad::linalg::cholesky(a)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<double, 3, 3>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<double, 2, 3>{});
#endif
int main() {}
