// SPDX-License-Identifier: MIT
// Indices are integers.
// expect: index_is_no_integer
// expect: an index array holds integers
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto i) {
#ifdef RIGHT
    return sum(gather<0>(x, ad::cast<int>(i)));
#else
    return sum(gather<0>(x, i));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3>{}, ad::tensor<float, 4>{});
int main() {}
