// SPDX-License-Identifier: MIT
// ctc is differentiated once: a gradient of its gradient is refused, not taken for 0.
// expect: ctc_has_no_second_derivative
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto y, auto t, auto l) { return ad::loss::ctc(x, y, t, l); };
using input = ad::tensor<double, 4, 2, 3>;
ad::tensor<int, 2, 2> y;
ad::tensor<int, 2> t, l;
#ifdef RIGHT
auto g = ad::grad<0>(f)(input{}, y, t, l);
#else
auto g = ad::hvp<0>(f)(input{}, y, t, l, input{});
#endif
int main() {}
