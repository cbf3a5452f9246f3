// SPDX-License-Identifier: MIT
// A Cholesky factor of n x n has n (n - 1)/2 elements below the diagonal.
// expect: cholesky_corr_needs_a_triangle<tapeless::shape<4>
// expect: u is a vector of n (n - 1)/2 elements (1, 3, 6, ...), known when compiled
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
ad::tensor<double, 3> u;
#else
ad::tensor<double, 4> u;
#endif
auto l = ad::evaluate([](auto v) { return ad::bijection::cholesky_corr.forward(v); }, u);
int main() {}
