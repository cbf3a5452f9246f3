// SPDX-License-Identifier: MIT
// NumPy's name of what is called correction here.
// expect: option_is_called_correction
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x) {
#ifdef RIGHT
    return var(x, {.correction = 1}) + var(x, {1}) + std_dev(x, ad::variance{0});
#else
    return var(x, {.ddof = 1});  // <- here
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<double, 3>{});
int main() {}
