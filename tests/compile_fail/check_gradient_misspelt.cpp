// SPDX-License-Identifier: MIT
// An error in a function whose gradient is checked is reported once.
// expect: no_such_function
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
constexpr auto f = [](auto x) {
#ifdef RIGHT
    return sum(x);
#else
    return sum(no_such_function(x));  // <- here
#endif
};
auto g = ad::check_gradient<0>(f, ad::tensor<double, 4>{});
int main() {}
