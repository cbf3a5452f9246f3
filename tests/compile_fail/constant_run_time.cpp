// SPDX-License-Identifier: MIT
// Constants have static extents.
// expect: tensor_in_an_expression_has_run_time_extents
// expect: is an argument
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return sum(ad::tensor<double, 3>{1, 2, 3} * x);
#else
    return sum(ad::tensor<double, ad::dyn>{1, 2, 3} * x);  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
