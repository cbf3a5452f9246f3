// SPDX-License-Identifier: MIT
// Along the axes that are not indexed, the index array is at most as long as the array.
// expect: index_is_longer_than_the_array
// expect: shape<3, 4>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto i) {
#ifdef RIGHT
    return sum(gather<0>(x, i));
#else
    return sum(gather<1>(x, i));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 3, 4>{}, ad::tensor<int, 5, 2>{});
int main() {}
