// SPDX-License-Identifier: MIT
// Of several results the cotangent is a tuple.
// expect: tangent_is_another_tree
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) { return std::tuple(exp(x), sum(x)); };
using vector = ad::tensor<double, 3>;
#ifdef RIGHT
auto g = ad::vjp<0>(f)(vector{}, std::tuple(vector{}, 1.0));
#else
auto g = ad::vjp<0>(f)(vector{}, vector{});
#endif
int main() {}
