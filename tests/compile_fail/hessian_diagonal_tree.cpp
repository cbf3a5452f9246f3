// SPDX-License-Identifier: MIT
// The diagonal of a Hessian is that of an array, not of a tree.
// expect: jacobian_by_a_tree
#include <tapeless/tapeless.hpp>
#include <tuple>
namespace ad = tapeless;
using vector = ad::tensor<double, 3>;
#ifdef RIGHT
auto g = ad::hessian_diagonal<0>([](auto x) { return sum(exp(x)); })(vector{});
#else
auto g = ad::hessian_diagonal<0>([](auto x) { return sum(exp(std::get<0>(x))); })(std::tuple(vector{}));
#endif
int main() {}
