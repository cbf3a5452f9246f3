// SPDX-License-Identifier: MIT
// Only floating-point arguments are differentiated.
// expect: integer
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) { return sum(square(a)); };
#ifdef RIGHT
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{});
#else
auto g = ad::grad<0>(f)(ad::tensor<int, 3>{});
#endif
int main() {}
