// SPDX-License-Identifier: MIT
// Classes are integers.
// expect: index_is_no_integer
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto i) {
#ifdef RIGHT
    return sum(x * ad::one_hot<3>(ad::cast<int>(i)));
#else
    return sum(x * ad::one_hot<3>(i));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 3>{}, ad::tensor<float, 4>{});
int main() {}
