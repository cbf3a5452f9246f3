// SPDX-License-Identifier: MIT
// hessian is of a scalar.
// expect: grad_of_something_that_is_no_scalar
// expect: end it with sum or mean
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x) { return sum(x * x); };
#else
auto f = [](auto x) { return x * x; };
#endif
auto r = ad::hessian<0>(f)(ad::tensor<double, 3>{});  // <- here
int main() {}
