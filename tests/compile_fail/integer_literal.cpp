// SPDX-License-Identifier: MIT
// A number that int cannot hold would become another one.
// expect: integer_that_the_elements_beside_it_or_double_cannot_hold
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return x + 2000000000;
#else
    return x + 5000000000;
#endif
};
auto y = ad::evaluate(f, ad::tensor<int, 3>{});
int main() {}
