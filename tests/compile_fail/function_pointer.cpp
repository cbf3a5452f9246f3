// SPDX-License-Identifier: MIT
// The function is called while compiling, and a pointer's value is not known then.
// expect: function object
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
auto half_square = [](auto x) { return 0.5f * square(x); };
#else
float half_square(float x) { return 0.5f * x * x; }
#endif
auto g = ad::grad<0>(half_square)(2.0f);
int main() {}
