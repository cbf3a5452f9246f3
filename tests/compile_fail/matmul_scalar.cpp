// SPDX-License-Identifier: MIT
// A number has no axis to sum over.
// expect: operands_have_the_wrong_rank
// expect: rank 1 or more
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto f = [](auto x, auto w) { return sum(x * w); };
#else
auto f = [](auto x, auto w) { return sum(matmul(x, w)); };
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 5, 3>{}, 2.0f);
int main() {}
