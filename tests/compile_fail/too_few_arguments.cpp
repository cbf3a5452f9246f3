// SPDX-License-Identifier: MIT
// A call that forgets an argument.
// expect: function_does_not_take_these_arguments
// expect: 2 arguments
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto w, auto x, auto y) { return mean(square(w * x - y)); };
auto step = ad::value_and_grad<0>(f);
ad::tensor<double, 3> x{1, 2, 3}, y{2, 4, 6};
#ifdef RIGHT
auto g = step(0.5, x, y);
#else
auto g = step(0.5, x);  // <- here
#endif
int main() {}
