// SPDX-License-Identifier: MIT
// A call with one argument too many.
// expect: function_does_not_take_these_arguments
// expect: 4 arguments
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto decay = [](auto rate, auto times, auto start) { return sum(start * exp(-rate * times)); };
ad::tensor<float, 2> times{1, 2};
#ifdef RIGHT
auto g = ad::grad<0>(decay)(0.5f, times, 2.f);
#else
auto g = ad::grad<0>(decay)(0.5f, times, 2.f, 1.f);  // <- here
#endif
int main() {}
