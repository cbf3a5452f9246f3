// SPDX-License-Identifier: MIT
// A function of one argument has no argument 3 to differentiate.
// expect: argument
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) { return sum(square(a)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{});
#else
auto g = ad::grad<3>(f)(ad::tensor<float, 3>{});
#endif
int main() {}
